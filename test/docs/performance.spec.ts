import { describe, expect, it } from '@jest/globals';

import { CONTESTANTS } from '../bench/contestants/contestants.ts';
import { read, tablesWith } from './markdown.ts';

const text = read('docs/performance.md');

describe('docs/performance.md', () => {
  it('has a row for every worker that the bench measures', () => {
    const [costs] = tablesWith(text, 'worker');
    const rows = costs?.rows.map(([label, queueType]) => `${label} ${queueType}`);
    const measured = CONTESTANTS.filter(({ name }) => name !== 'redis');
    expect(rows).toEqual(measured.map(({ label, queueType }) => `${label} ${queueType}`));
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
