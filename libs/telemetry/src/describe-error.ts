import { inSource } from './source-lines.ts';

/** The parts of an error that may be logged. */
interface ErrorDescription {
  readonly name: string;
  readonly code?: string;
  /** Present only for errors of this service and of the operating system. */
  readonly message?: string;
  /** The stack frames, without the message at the start of the stack. */
  readonly frames?: readonly string[];
  readonly cause?: ErrorDescription;
}

const MAX_FRAMES = 8;
const MAX_CAUSES = 3;
/** Built-in errors, whose messages may quote data. */
const QUOTING = /^(Syntax|Type|Range|URI|Eval|Reference)Error$/;

/**
 * Describes an error without data that its message may quote: `JSON.parse` quotes its input in a
 * `SyntaxError`, and `new URL` the address in a `TypeError`.
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

/**
 * Returns no frames if the stack does not contain the message, because lines of another message could look
 * like frames.
 */
function framesOf({ stack = '', message }: Error): string[] {
  const start = stack.indexOf(message);
  const lines = start === -1 ? [] : stack.slice(start + message.length).split('\n');
  const frames = lines.map((line) => line.trim()).filter((line) => line.startsWith('at '));
  return frames.slice(0, MAX_FRAMES).map(inSource);
}
