import { describe, expect, it } from '@jest/globals';

import { ERROR_CODES } from '#contracts';

import { WHO_ACTS } from '../../apps/worker/src/console/console-view.ts';
import { code, codeSpansOf, itemsOf, read, tablesWith } from './markdown.ts';

const text = read('docs/errors.md');
/** `CODE` (retryable): when it is the answer. */
const CODE = /^`([A-Z_]+)`( \(retryable\))?: (.+)$/;
const entries = itemsOf(text).flatMap(({ heading, text: item, items }) => {
  const [found, name = '', retryable, when] = CODE.exec(item) ?? [];
  return found === undefined
    ? []
    : [{ name, category: heading, retryable: retryable !== undefined, when, items }];
});

describe('docs/errors.md', () => {
  it('lists every code once, under its category, and says whether it is retryable', () => {
    const documented = entries.map(({ name, category, retryable }) => [name, { category, retryable }]);
    const actual = Object.entries(ERROR_CODES).map(([name, { category, retryable }]) => [
      name,
      { category, retryable },
    ]);
    expect(documented.toSorted()).toEqual(actual.toSorted());
  });

  it('says when each code is the answer and what to do', () => {
    const complete = entries.filter(({ when, items }) => when && /^Do: ./.test(items[0] ?? ''));
    expect(entries.filter((entry) => !complete.includes(entry))).toEqual([]);
  });

  it('explains every category', () => {
    const explained = tablesWith(text, 'Category').flatMap((table) => table.rows.map(([name]) => code(name)));
    const categories = new Set(Object.values(ERROR_CODES).map(({ category }) => category));
    expect(explained.toSorted()).toEqual([...categories].toSorted());
  });

  it('says who acts as the console does', () => {
    const rows = tablesWith(text, 'Category').flatMap((table) => table.rows);
    expect(Object.fromEntries(rows.map(([name, whoActs]) => [code(name), whoActs]))).toEqual(WHO_ACTS);
  });

  it('names only existing codes among the details', () => {
    const cells = tablesWith(text, 'Member').flatMap((table) => table.rows.map(([, codes = '']) => codes));
    const named = cells.flatMap(codeSpansOf);
    expect(named.filter((name) => !(name in ERROR_CODES))).toEqual([]);
  });
});
