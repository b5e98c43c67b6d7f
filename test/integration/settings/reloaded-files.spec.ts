import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { type ReadText, SettingsError } from '#settings';
import { createLogger } from '#telemetry';

import { ReloadedFiles } from '../../../apps/worker/src/settings/reloaded-files.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

/** Two looks of the files' reader. */
const LOOKS_MS = 2_500;
const READ_AGAIN = 'files of settings were read again';
const REFUSED = 'changed files of settings cannot be used; what was read before stays';

let folder: TemporaryFolder;
let lines: Record<string, unknown>[];

beforeEach(() => {
  folder = temporaryFolder();
  lines = [];
});
afterEach(() => folder[Symbol.dispose]());

function reloaded<T>(read: (readText: ReadText) => T): { files: ReloadedFiles<T>; values: T[] } {
  // Files of a test that has ended are gone, which is for nobody to hear.
  const own = lines;
  const logger = createLogger('info', {
    write: (line) => own.push(JSON.parse(line) as Record<string, unknown>),
  });
  const files = new ReloadedFiles('A_FILE, B_FILE', read, logger);
  const values: T[] = [];
  files.follow((value) => values.push(value));
  return { files, values };
}

function numberIn(text: string): number {
  if (!/^\d+$/.test(text)) throw new SettingsError([{ variable: 'A_FILE', reason: 'must be a number' }]);
  return Number(text);
}

const messages = () => lines.map(({ msg }) => msg);

describe('ReloadedFiles', () => {
  it('reads a file again when it changes, and keeps what it read if that cannot be used; it says why, once', async () => {
    const path = folder.write('a', '1');
    const { files, values } = reloaded((readText) => numberIn(readText(path)));
    folder.write('a', 'CANARY');
    await until('it is refused', () => messages().includes(REFUSED));
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
  });

  it('waits for a file that is gone', async () => {
    const path = folder.write('a', '1');
    const { files } = reloaded((readText) => numberIn(readText(path)));
    rmSync(path);
    await until('it is refused', () => messages().includes(REFUSED));
    expect(files.value).toBe(1);
    folder.write('a', '2');
    await until('it was read', () => files.value === 2);
  });

  it('says nothing of a file that was written as it is', async () => {
    const path = folder.write('a', '1');
    const { values } = reloaded((readText) => numberIn(readText(path)));
    folder.write('a', '1');
    await sleep(LOOKS_MS);
    expect([lines, values]).toEqual([[], [1]]);
  });

  it('follows the files that a file names', async () => {
    const [first, second] = [folder.write('first', '1'), folder.write('second', '2')];
    const path = folder.write('a', first);
    const { files } = reloaded((readText) => numberIn(readText(readText(path))));
    folder.write('a', second);
    await until('it was read', () => files.value === 2);
    folder.write('second', '3');
    await until('it was read', () => files.value === 3);
  });

  it('never mixes files of before and after, if all are replaced at once by a link', async () => {
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
  });
});
