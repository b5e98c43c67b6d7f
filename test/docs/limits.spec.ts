import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { SETTINGS } from '#settings';

import { codeSpansOf, itemsOf, read, root } from './markdown.ts';
import { sourcesOf } from './sources.ts';

/** What is kept: its limit, its place in the code, and the test that reaches the limit. */
const entries = itemsOf(read('docs/limits.md')).flatMap(({ text, items }) => {
  const [found, , limit = ''] = /^\*\*(.+)\*\*: (.+)$/.exec(text) ?? [];
  const under = (label: string) => items.find((item) => item.startsWith(label)) ?? '';
  return found === undefined ? [] : [{ limit, places: under('Code: '), test: under('Test: ') }];
});
const sources = ['apps', 'libs'].flatMap(sourcesOf);

/** What begins empty and grows: a member of a class, or of a module. */
const GROWING =
  /^(?: {2}(?:private |readonly )*#?(\w+)(?:: .+?)?|const (\w+)) = (?:new (?:Map|Set|WeakMap|WeakSet)(?:<[^\n]*>)?\(\)|\[\]);$/gm;
/** Filled once: by the variables of the process, or by what is written in the file. */
const FILLED_AT_START = ['apps/sandbox/src/settings/environment.ts#faults'];
const UNITS: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 * 1024 };

/** The value of a constant that is written as a product of numbers. */
function valuesOf(constant: string): number[] {
  const definition = new RegExp(String.raw`\bconst ${constant} = ([\d_ *]+);`, 'g');
  return sources.flatMap(({ text }) =>
    [...text.matchAll(definition)].map(([, product = '']) =>
      product
        .replaceAll('_', '')
        .split('*')
        .reduce((value, factor) => value * Number(factor), 1),
    ),
  );
}

describe('docs/limits.md', () => {
  it('names every collection in the code that starts empty and grows', () => {
    const growing = sources.flatMap(({ path, text }) =>
      [...text.matchAll(GROWING)].map(([, member, constant]) => `${path}#${member ?? constant}`),
    );
    const named = entries.flatMap(({ places }) => codeSpansOf(places));
    expect(growing.filter((place) => !FILLED_AT_START.includes(place) && !named.includes(place))).toEqual([]);
    expect(named.filter((place) => !growing.includes(place))).toEqual([]);
  });

  it('names a test that reaches each limit', () => {
    expect(entries).not.toEqual([]);
    expect(entries.filter(({ test }) => codeSpansOf(test).length === 0)).toEqual([]);
    const missing = entries
      .flatMap(({ test }) => codeSpansOf(test))
      .filter((path) => !path.endsWith('.spec.ts') || !existsSync(join(root, path)));
    expect(missing).toEqual([]);
  });

  it.each(
    entries.flatMap(({ limit }) =>
      [...limit.matchAll(/`([A-Z_]+)`(?: (\d+)(?: (KiB|MiB)\b)?)?/g)].map(([, name = '', value, unit]) => ({
        name,
        value: value === undefined ? undefined : Number(value) * (UNITS[unit ?? ''] ?? 1),
      })),
    ),
  )('knows $name', ({ name, value }) => {
    if (value === undefined) expect(Object.keys(SETTINGS)).toContain(name);
    else expect(valuesOf(name)).toContain(value);
  });
});
