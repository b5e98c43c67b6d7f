import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { CONTESTANTS } from '../bench/contestants/contestants.ts';
import { guaranteeTable } from '../bench/report/tables.ts';
import { read, root, tablesWith } from './markdown.ts';

const text = read('docs/performance.md');

describe('docs/performance.md', () => {
  it('has a place for each part that the bench writes', () => {
    const begun = [...text.matchAll(/<!-- bench: (.+) -->/g)].map(([, part]) => part);
    const ended = [...text.matchAll(/<!-- end of bench: (.+) -->/g)].map(([, part]) => part);
    expect(begun).toEqual(
      expect.arrayContaining(['bounds', 'comparison', 'guarantees', 'start', 'scale', 'redis', 'soak']),
    );
    expect(ended).toEqual(begun);
    expect(existsSync(join(root, 'docs/images/cpu-of-a-command.svg'))).toBe(true);
  });

  it('has a row for every worker that the bench measures', () => {
    const [costs, throughput] = tablesWith(text, 'worker');
    const expected = CONTESTANTS.map(({ label, queueType }) => [label, queueType]);
    for (const table of [costs, throughput])
      expect(table?.rows.map(([label, queueType]) => [label, queueType])).toEqual(expected);
  });

  it('lists the same guarantees of each worker as the bench', () => {
    const [head, ...rows] = guaranteeTable();
    const [table] = tablesWith(text, head?.[0] ?? '');
    expect(table?.rows).toEqual(rows);
  });

  it('lists the options', () => {
    const listed = tablesWith(text, 'Option').flatMap(({ rows }) =>
      rows.map(([option = '']) => /^`--([a-z-]+)/.exec(option)?.[1]),
    );
    const actual = [...read('scripts/tasks/bench.ts').matchAll(/^ +'?([a-z-]+)'?: \{ type: '/gm)].map(
      ([, name]) => name,
    );
    expect(listed.toSorted()).toEqual(actual.toSorted());
  });
});
