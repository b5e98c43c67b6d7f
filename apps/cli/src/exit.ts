const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** The exit codes of the command line. Source: bus contract, section 9. */
export const EXIT = {
  success: 0,
  /**
   * `command.failed`, a fault found by `doctor`, a difference found by `report diff`, or messages that
   * remain.
   */
  failed: 1,
  usage: 2,
  noAnswer: 3,
  /** `EX_SOFTWARE` of sysexits; the next is `EX_CONFIG`. */
  internal: 70,
  settings: 78,
} as const;

export class ExitError extends Error {
  override readonly name = 'ExitError';
  readonly exitCode: number;

  constructor(exitCode: (typeof EXIT)[keyof typeof EXIT], message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** An error in the arguments, or in the files that they name. */
export function usageError(message: string): ExitError {
  return new ExitError(EXIT.usage, `error: ${message}`);
}

/** Runs work with a signal that Ctrl-C or SIGTERM aborts. The second one ends the process at once. */
export async function interruptibly<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const interrupt = (): void => controller.abort();
  for (const signal of SIGNALS) process.once(signal, interrupt);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}
