import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type TemporaryFolder = ReturnType<typeof temporaryFolder>;

/** Creates a temporary folder; `using folder = temporaryFolder()` removes it at the end of the block. */
export function temporaryFolder() {
  const path = mkdtempSync(join(tmpdir(), 'poker-bridge-spec-'));
  return {
    path,
    /** Writes or overwrites a file, and returns its path. */
    write: (name: string, text: string): string => {
      const file = join(path, name);
      writeFileSync(file, text);
      return file;
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}
