import { inSource } from './source-lines.ts';

/** What may be logged of an error. */
interface ErrorDescription {
  readonly name: string;
  readonly code?: string;
  /** Only if it was written by this service or by the operating system. */
  readonly message?: string;
  /** The frames of its stack, without the message that a stack begins with. */
  readonly frames?: readonly string[];
  readonly cause?: ErrorDescription;
}

const MAX_FRAMES = 8;
const MAX_CAUSES = 3;
/** Built-in errors, whose messages may quote data. */
const QUOTING = /^(Syntax|Type|Range|URI|Eval|Reference)Error$/;

/**
 * Describes an error without data that its message may quote: a `SyntaxError` of `JSON.parse` quotes its input, a
 * `TypeError` of `new URL` the address.
 */
export function describeError(error: unknown, depth = 0): ErrorDescription {
  if (!(error instanceof Error)) return { name: typeof error };
  const { code, syscall } = error as NodeJS.ErrnoException;
  const isOwnSentence = syscall !== undefined || !QUOTING.test(error.name);
  const frames = framesOf(error);
  return {
    name: error.name,
    ...(typeof code === 'string' && { code }),
    ...(isOwnSentence && { message: error.message }),
    ...(frames.length > 0 && { frames }),
    ...(error.cause !== undefined && depth < MAX_CAUSES && { cause: describeError(error.cause, depth + 1) }),
  };
}

/** None if the stack does not begin with the message: lines of another message could look like frames. */
function framesOf({ stack = '', message }: Error): string[] {
  const start = stack.indexOf(message);
  const lines = start === -1 ? [] : stack.slice(start + message.length).split('\n');
  const frames = lines.map((line) => line.trim()).filter((line) => line.startsWith('at '));
  return frames.slice(0, MAX_FRAMES).map(inSource);
}
