import { describe, expect, it } from '@jest/globals';

import { codeSpansOf, isPath, itemsOf, paragraphsOf, read } from './markdown.ts';

const SPECS = / \(((?:`[^`]+`(?:, )?)+)\)$/;

/** The items of a document that begin with a danger in bold: what is done about it, and its specs in brackets. */
function claimsOf(text: string) {
  return itemsOf(text).flatMap(({ heading, text: item }) => {
    const [found, danger = '', rest = ''] = /^\*\*(.+?)\*\*: (.+)$/.exec(item) ?? [];
    if (found === undefined) return [];
    const [folder] = paragraphsOf(text, heading).flatMap((line) => /[Ii]n `([^`]+)`:/.exec(line)?.[1] ?? []);
    const specs = codeSpansOf(SPECS.exec(rest)?.[1] ?? '').map((spec) =>
      /^(apps|libs|scripts|test)\//.test(spec) ? spec : `${folder}/${spec}`,
    );
    return [{ name: `${heading}: ${danger}`, heading, means: rest.replace(SPECS, ''), specs }];
  });
}

describe.each([
  {
    path: 'docs/reliability.md',
    text: read('docs/reliability.md').split('\n## Known traps and their tests\n')[1] ?? '',
    headings: [
      'RabbitMQ and amqplib',
      'undici',
      'opossum',
      'Retrying',
      'The platform',
      'Redis',
      'Two commands on a bare machine',
    ],
  },
  {
    path: 'docs/security.md',
    text: read('docs/security.md'),
    headings: [
      'Callers on the bus',
      'What lies in queues and in Redis',
      'The platform and what is in front of it',
      'The broker and Redis',
      'The process',
      'The sandbox',
      'Settings',
      'Supply chain',
    ],
  },
])('$path', ({ text, headings }) => {
  const claims = claimsOf(text);

  it('covers every subject', () => {
    expect([...new Set(claims.map(({ heading }) => heading))]).toEqual(headings);
  });

  it.each(claims)('$name: has specs that exist', ({ means, specs }) => {
    expect(means).not.toBe('');
    expect(specs).not.toEqual([]);
    expect(specs.filter((spec) => !isPath(spec))).toEqual([]);
  });
});
