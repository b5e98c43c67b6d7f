import { describe, expect, it } from '@jest/globals';

import { codeSpansOf, isPath, itemsOf, paragraphsOf, read } from './markdown.ts';

const SPECS = / \(((?:`[^`]+`(?:, )?)+)\)$/;

/**
 * The list items of a document that begin with a danger in bold, followed by the countermeasure, and its
 * specs in brackets.
 */
function claimsOf(text: string) {
  return itemsOf(text).flatMap(({ heading, text: item }) => {
    const [found, danger = '', rest = ''] = /^\*\*(.+?)\*\*: (.+)$/.exec(item) ?? [];
    if (found === undefined) return [];
    const [folder] = paragraphsOf(text, heading).flatMap((line) => /[Ii]n `([^`]+)`:/.exec(line)?.[1] ?? []);
    const specs = codeSpansOf(SPECS.exec(rest)?.[1] ?? '').map((spec) =>
      /^(apps|lab|libs|scripts|test)\//.test(spec) ? spec : `${folder}/${spec}`,
    );
    return [{ name: `${heading}: ${danger}`, heading, means: rest.replace(SPECS, ''), specs }];
  });
}

/** Parts of a document without claims. */
const WITHOUT = ['What is not protected', 'What an installation has to do'];
const [, traps = ''] = read('docs/reliability.md').split('\n## Known traps and their tests\n');

describe.each([
  { path: 'docs/reliability.md', text: traps },
  { path: 'docs/security.md', text: read('docs/security.md') },
])('$path', ({ text }) => {
  const claims = claimsOf(text);

  it('says of each of its subjects what is done', () => {
    const subjects = [...text.matchAll(/^##+ (.+)$/gm)].map(([, subject = '']) => subject);
    const claimed = new Set(claims.map(({ heading }) => heading));
    expect([...claimed]).toEqual(subjects.filter((subject) => !WITHOUT.includes(subject)));
  });

  it.each(claims)('$name: has specs that exist', ({ means, specs }) => {
    expect(means).not.toBe('');
    expect(specs).not.toEqual([]);
    expect(specs.filter((spec) => !isPath(spec))).toEqual([]);
  });
});
