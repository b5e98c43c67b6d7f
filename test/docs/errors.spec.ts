import { describe, expect, it } from '@jest/globals';

import { ERROR_CODES } from '#contracts';

import { code, codeSpansOf, read, tablesWith } from './markdown.ts';

const text = read('docs/errors.md');
const rows = tablesWith(text, 'Code').flatMap((table) =>
  table.rows.map((cells) => ({ heading: table.heading, cells })),
);

describe('docs/errors.md', () => {
  it('lists every code once, with its category and whether it is retryable', () => {
    const documented = rows.map(({ cells: [name, category, retryable] }) => [
      code(name),
      { category: code(category), retryable },
    ]);
    const actual = Object.entries(ERROR_CODES).map(([name, { category, retryable }]) => [
      name,
      { category, retryable: retryable ? 'yes' : 'no' },
    ]);
    expect(documented.toSorted()).toEqual(actual.toSorted());
  });

  it('says of each code when it comes and what to do', () => {
    expect(rows.filter(({ cells }) => cells.length !== 5 || cells.includes(''))).toEqual([]);
  });

  it('has each code under the heading of its category', () => {
    expect(rows.filter(({ heading, cells }) => heading !== code(cells[1]))).toEqual([]);
  });

  it('explains every category', () => {
    const explained = tablesWith(text, 'Category').flatMap((table) => table.rows.map(([name]) => code(name)));
    const categories = new Set(Object.values(ERROR_CODES).map(({ category }) => category));
    expect(explained.toSorted()).toEqual([...categories].toSorted());
  });

  it('tells the details of codes that exist', () => {
    const cells = tablesWith(text, 'Member').flatMap((table) => table.rows.map(([, codes = '']) => codes));
    const named = cells.flatMap(codeSpansOf);
    expect(named.filter((name) => !(name in ERROR_CODES))).toEqual([]);
  });
});
