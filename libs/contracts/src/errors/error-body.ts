import type { ErrorCategory, ErrorCode } from './error-codes.ts';

/** One fault of a command, at a JSON pointer (RFC 6901) into its data, its `/properties` or its `/headers`. */
export interface Violation {
  readonly pointer: string;
  readonly message: string;
}

/** One error of the platform, as far as it may be passed on. */
export interface PlatformErrorEntry {
  readonly status?: number;
  readonly title?: string;
  readonly detail?: string;
  readonly pointer?: string;
}

/** What the platform answered when it refused or failed. */
export interface PlatformAnswer {
  /** The HTTP status. */
  readonly status: number;
  readonly errors: readonly PlatformErrorEntry[];
}

/** The data of `command.failed`. Source: bus contract, section 4. */
export interface ErrorBody {
  readonly code: ErrorCode;
  readonly category: ErrorCategory;
  readonly retryable: boolean;
  readonly message: string;
  /** Milliseconds until another try makes sense, where that is known. */
  readonly retryAfterMs?: number;
  readonly violations?: readonly Violation[];
  readonly details?: Readonly<Record<string, unknown>>;
  readonly platform?: PlatformAnswer;
  /** Calls to the platform that this worker made for this command. */
  readonly attempts: number;
  readonly command: { readonly id: string; readonly type: string };
  /** ISO 8601, UTC. */
  readonly occurredAt: string;
}
