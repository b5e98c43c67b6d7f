import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import spawn, { SubprocessError } from 'nano-spawn';

import { FLAGS } from '../../scripts/launcher/flags.mjs';
import { root } from '../../scripts/root.ts';
import { copySources } from '../../test/support/copy-sources.ts';
import { MUTATIONS } from './list.ts';

/** Everything that the specs import. */
const COPIED = 'apps lab libs scripts test .swcrc jest.config.mjs package.json'.split(' ');
const JEST = [...FLAGS, '--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--runTestsByPath'];
/** A mutation may cause an endless loop. */
const TIMEOUT_MS = 60_000;

/**
 * Returns all mutations, each with the broken text of its file. A find string that does not occur once breaks
 * nothing.
 */
export function mutations() {
  return Object.entries(MUTATIONS).flatMap(([file, ofFile]) =>
    Object.entries(ofFile).map(([promise, [find, replace, spec = file.replace('.ts', '.spec.ts')]]) => {
      const parts = readFileSync(join(root, file), 'utf8').split(find);
      return { promise, file, find, spec, count: parts.length - 1, text: parts.join(replace) };
    }),
  );
}

/**
 * Breaks one line at a time in a copy of the repository, and runs its spec, which must fail.
 *
 * @param folder for the copy; empty
 * @param only a part of the promises to break; default: all of them
 * @returns the promises whose spec did not fail
 * @throws {Error} naming a mutation whose find string does not occur once
 */
export async function findSurvivors(folder: string, only = ''): Promise<readonly string[]> {
  const chosen = mutations().filter(({ promise }) => promise.includes(only));
  const stale = chosen.find(({ count }) => count !== 1);
  if (stale)
    throw new Error(`"${stale.promise}": ${stale.file} contains ${stale.count} times: ${stale.find}`);
  copySources(COPIED, folder);

  const survivors: string[] = [];
  for (const { promise, file, text, spec } of chosen) {
    const original = readFileSync(join(folder, file), 'utf8');
    writeFileSync(join(folder, file), text);
    const isCaught = await fails(folder, spec);
    writeFileSync(join(folder, file), original);
    console.log(`${isCaught ? 'caught  ' : 'survived'}  ${promise} (${spec})`);
    if (!isCaught) survivors.push(promise);
  }
  return survivors;
}

/** True if the tests of a spec fail. @throws {Error} if the spec does not load, which proves nothing */
async function fails(folder: string, spec: string): Promise<boolean> {
  try {
    await spawn(process.execPath, [...JEST, spec], { cwd: folder, timeout: TIMEOUT_MS });
    return false;
  } catch (error) {
    if (!(error instanceof SubprocessError)) throw error;
    if (error.output.includes('Test suite failed to run')) throw new Error(error.output, { cause: error });
    return true;
  }
}
