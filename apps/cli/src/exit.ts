const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** The exit codes of the command line. Source: bus contract, section 9. */
export const EXIT = {
  success: 0,
  /** The reply is `command.failed`, `doctor` found a fault, or something that was chosen is left. */
  failed: 1,
  usage: 2,
  noAnswer: 3,
  /** A fault of this program, `EX_SOFTWARE` of sysexits; the last is `EX_CONFIG`. */
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

/** The arguments, or the files that they name, cannot be used. */
export function usageError(message: string): ExitError {
  return new ExitError(EXIT.usage, `error: ${message}`);
}

/** Does work that ends soon after its signal is aborted, by Ctrl-C or SIGTERM; the second one ends the process at once. */
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
