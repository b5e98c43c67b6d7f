import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import { type ReadText, SettingsError } from '#settings';
import { createLogger } from '#telemetry';

import { ReloadedFiles } from '../../../apps/worker/src/settings/reloaded-files.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

/** Two looks of the files' reader. */
const LOOKS_MS = 2_500;
const READ_AGAIN = 'settings files reloaded';
const REFUSED = 'settings files are invalid; keeping the previous values';

function reloaded<T>(read: (readText: ReadText) => T) {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger('info', {
    write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  const files = new ReloadedFiles('A_FILE, B_FILE', read, logger);
  const values: T[] = [];
  files.follow((value) => values.push(value));
  const isLogged = (message: string) => () => lines.some(({ msg }) => msg === message);
  return { files, values, lines, isLogged };
}

function numberIn(text: string): number {
  if (!/^\d+$/.test(text)) throw new SettingsError([{ variable: 'A_FILE', reason: 'must be a number' }]);
  return Number(text);
}

describe('ReloadedFiles', () => {
  it.concurrent(
    'reads a file again when it changes, and keeps what it read if that cannot be used; it says why, once',
    async () => {
      using folder = temporaryFolder();
      const path = folder.write('a', '1');
      const { files, values, lines, isLogged } = reloaded((readText) => numberIn(readText(path)));
      folder.write('a', 'CANARY');
      await until('it is refused', isLogged(REFUSED));
      utimesSync(path, new Date(), new Date());
      await sleep(LOOKS_MS);
      expect(lines).toMatchObject([
        { level: 'error', faults: [{ variable: 'A_FILE', reason: 'must be a number' }], msg: REFUSED },
      ]);
      expect([files.value, values]).toEqual([1, [1]]);
      folder.write('a', '2');
      await until('it was read', () => files.value === 2);
      expect(lines.at(-1)).toMatchObject({ level: 'info', settings: 'A_FILE, B_FILE', msg: READ_AGAIN });
      expect(JSON.stringify(lines)).not.toContain('CANARY');
    },
  );

  it.concurrent('waits for a missing file to reappear', async () => {
    using folder = temporaryFolder();
    const path = folder.write('a', '1');
    const { files, isLogged } = reloaded((readText) => numberIn(readText(path)));
    rmSync(path);
    await until('it is refused', isLogged(REFUSED));
    expect(files.value).toBe(1);
    folder.write('a', '2');
    await until('it was read', () => files.value === 2);
  });

  it.concurrent('does not report a file that was rewritten unchanged', async () => {
    using folder = temporaryFolder();
    const path = folder.write('a', '1');
    const { values, lines } = reloaded((readText) => numberIn(readText(path)));
    folder.write('a', '1');
    await sleep(LOOKS_MS);
    expect([lines, values]).toEqual([[], [1]]);
  });

  it.concurrent('follows the files that a file names', async () => {
    using folder = temporaryFolder();
    const [first, second] = [folder.write('first', '1'), folder.write('second', '2')];
    const path = folder.write('a', first);
    const { files } = reloaded((readText) => numberIn(readText(readText(path))));
    folder.write('a', second);
    await until('it was read', () => files.value === 2);
    folder.write('second', '3');
    await until('it was read', () => files.value === 3);
  });

  it.concurrent(
    'never mixes old and new files when a symbolic link replaces all of them at once',
    async () => {
      using folder = temporaryFolder();
      const replaceBy = (version: string): void => {
        mkdirSync(join(folder.path, version));
        for (const name of ['a', 'b']) writeFileSync(join(folder.path, version, name), version);
        symlinkSync(version, join(folder.path, 'next'));
        renameSync(join(folder.path, 'next'), join(folder.path, 'current'));
      };
      replaceBy('1');
      let meanwhile: string | undefined;
      const { files, values } = reloaded((readText) => {
        const a = readText(join(folder.path, 'current', 'a'));
        if (meanwhile !== undefined) replaceBy(meanwhile);
        meanwhile = undefined;
        return a + readText(join(folder.path, 'current', 'b'));
      });
      meanwhile = '3';
      replaceBy('2');
      await until('the last version was read', () => files.value === '33');
      expect(values).toEqual(['11', '33']);
    },
  );
});
