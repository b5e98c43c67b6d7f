/** How the command line ends. Source: bus contract, section 9. */
export const EXIT = {
  success: 0,
  /** The answer is `command.failed`. */
  commandFailed: 1,
  usage: 2,
  noAnswer: 3,
  /** A fault of this program (`EX_SOFTWARE` of sysexits), so that none looks like an answer. */
  internal: 70,
  /** `EX_CONFIG` of sysexits. */
  settings: 78,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What ends the program; its message is what the person reads. */
export class ExitError extends Error {
  override readonly name = 'ExitError';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Arguments, or files that they name, that cannot be used. */
export function usageError(message: string): ExitError {
  return new ExitError(EXIT.usage, `error: ${message}`);
}
