import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from '@jest/globals';

import { root } from '../../scripts/root.ts';
import { mutations } from './mutations.ts';

it.each(mutations())('"$promise" still has its line and its spec', ({ find, count, spec }) => {
  expect({ find, count }).toEqual({ find, count: 1 });
  expect(existsSync(join(root, spec))).toBe(true);
});
