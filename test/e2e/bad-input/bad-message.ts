import type { Options } from 'amqplib';

/** A message that the contract refuses, and how. */
export interface BadMessage {
  readonly name: string;
  /** Default: `session.create`. */
  readonly routingKey?: string;
  /** Bytes, or what is sent as JSON. Default: a valid session. */
  readonly body?: unknown;
  readonly options?: Options.Publish;
  readonly code: string;
  /** Of the violations, in any order. */
  readonly pointers?: readonly string[];
}

export const bytes = (...parts: readonly (string | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));
export const nested = (levels: number, inner = ''): string => '['.repeat(levels) + inner + ']'.repeat(levels);

/** A message whose data or properties break section 2. */
export const invalid = (
  name: string,
  body: unknown,
  pointers: readonly string[],
  more: Partial<BadMessage> = {},
): BadMessage => ({ name, body, pointers, code: 'VALIDATION_FAILED', ...more });
