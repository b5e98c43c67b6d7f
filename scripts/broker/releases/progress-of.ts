const MEGABYTE = 1_000_000;

export interface Progress {
  add(bytes: number): void;
  end(how: 'done' | 'failed'): void;
}

/** Tells on stderr how much of something has been done: one line, which a terminal sees grow. */
export function progressOf(what: string, bytes: number): Progress {
  const { stderr } = process;
  const startedMs = performance.now();
  let soFar = 0;
  const figures = (): string => `${(soFar / MEGABYTE).toFixed(0)} of ${(bytes / MEGABYTE).toFixed(0)} MB`;
  stderr.write(`poker-bridge: ${what} … `);
  return {
    add: (more) => {
      soFar += more;
      if (stderr.isTTY) stderr.write(`\r\u001B[Kpoker-bridge: ${what} … ${figures()}`);
    },
    end: (how) => {
      const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
      stderr.write(`${stderr.isTTY ? ', ' : ''}${how} after ${seconds} s (${figures()})\n`);
    },
  };
}
