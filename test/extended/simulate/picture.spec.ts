import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from '@jest/globals';

import { runSimulations } from '../../../scripts/simulate/run-simulations.ts';
import { fencesOf, read } from '../../docs/markdown.ts';

const DRAWN = 'docs/images/simulation.svg';

/** If the worker behaves otherwise on purpose, draw it again: the command of docs/scaling.md with `--out` this file. */
it('docs/scaling.md shows what its command draws, and says what it prints', async () => {
  const text = read('docs/scaling.md');
  const [fence] = fencesOf(text).filter((candidate) => candidate.text.startsWith('npm run simulate'));
  const [, ...args] = (fence?.text ?? '')
    .replaceAll('\\\n', ' ')
    .trim()
    .split(/ -- |\s+/)
    .slice(2);
  const folder = mkdtempSync(join(tmpdir(), 'poker-bridge-simulation-'));
  try {
    const out = join(folder, 'simulation.svg');
    const printed: string[] = [];
    await runSimulations([...args, '--out', out], (line) => printed.push(line));
    expect(readFileSync(out, 'utf8') === read(DRAWN)).toBe(true);
    const queued = /at most (\d+) in queues/.exec(printed.join('\n'))?.[1];
    const shares = [...printed.join('\n').matchAll(/([\d.]+) % success/g)].map(
      ([, share]) => 100 - Number(share),
    );
    expect(text).toContain(`${queued} commands wait in the queue`);
    expect(text).toContain(`${shares[0]?.toFixed(1)} % of all commands fail`);
    expect(text).toContain(`With 2048, ${shares[1]?.toFixed(2)} % do`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
