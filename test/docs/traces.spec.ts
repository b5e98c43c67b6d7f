import { expect, it } from '@jest/globals';

import { codeSpansOf, read, tablesWith } from './markdown.ts';
import { sourcesOf } from './sources.ts';

const ATTRIBUTE = /'((?:messaging|pokerbridge|http|server|url|error)\.[a-z_.]+)'/g;

it('docs/traces.md lists every attribute of a span once', () => {
  const documented = tablesWith(read('docs/traces.md'), 'Attribute').flatMap(({ rows }) =>
    rows.flatMap(([names = '']) => codeSpansOf(names)),
  );
  const sources = sourcesOf('apps/worker/src/traces').map(({ text }) => text);
  const actual = new Set(sources.flatMap((text) => [...text.matchAll(ATTRIBUTE)].map(([, name]) => name)));
  expect(documented.toSorted()).toEqual([...actual].toSorted());
});
