import { expect, it } from '@jest/globals';

import { documents, read, rowsOf } from './markdown.ts';

const LONGEST = 120;

it.each(documents())('%s has no row of a table over 120 columns', (path) => {
  expect(rowsOf(read(path)).filter((row) => [...row].length > LONGEST)).toEqual([]);
});
