import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from '@jest/globals';

import { itemsOf, read, root } from './markdown.ts';

/** One line of a document that says what holds, and the tests under it. */
interface Claim {
  readonly name: string;
  readonly means: string;
  readonly tests: readonly string[];
}

const SPEC = /^`([^`]+\.spec\.(?:ts|mjs))`(?:: (.+))?$/;

/** The items of a text that begin with a danger in bold, with what is done about it. */
export function claimsOf(text: string): readonly Claim[] {
  return itemsOf(text).flatMap(({ heading, text: item, items }) => {
    const [found, danger = '', means = ''] = /^\*\*(.+?)\*\*: (.+)$/.exec(item) ?? [];
    return found === undefined ? [] : [{ name: `${heading}: ${danger}`, means, tests: items }];
  });
}

/** Every claim names a spec that exists, and a test that is in it. */
export function expectHeld({ means, tests }: Claim): void {
  expect(means).not.toBe('');
  expect(tests).not.toEqual([]);
  for (const cell of tests) {
    const [, file, title = ''] = SPEC.exec(cell) ?? [];
    if (file === undefined) throw new Error(`not a spec, with or without the name of a test: ${cell}`);
    expect([file, existsSync(join(root, file))]).toEqual([file, true]);
    expect(read(file)).toContain(title);
  }
}
