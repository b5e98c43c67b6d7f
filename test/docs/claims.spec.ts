import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { itemsOf, read, root } from './markdown.ts';

/** One line of a document that says what holds, and the tests under it. */
interface Claim {
  readonly name: string;
  readonly means: string;
  readonly tests: readonly string[];
}

const SPEC = /^`([^`]+\.spec\.(?:ts|mjs))`(?:: (.+))?$/;

/** The items of a text that begin with a danger in bold, with what is done about it. */
function claimsOf(text: string): readonly Claim[] {
  return itemsOf(text).flatMap(({ heading, text: item, items }) => {
    const [found, danger = '', means = ''] = /^\*\*(.+?)\*\*: (.+)$/.exec(item) ?? [];
    return found === undefined ? [] : [{ name: `${heading}: ${danger}`, means, tests: items }];
  });
}

/** Every claim names a spec that exists, and a test that is in it. */
function expectHeld({ means, tests }: Claim): void {
  expect(means).not.toBe('');
  expect(tests).not.toEqual([]);
  for (const cell of tests) {
    const [, file, title = ''] = SPEC.exec(cell) ?? [];
    if (file === undefined) throw new Error(`not a spec, with or without the name of a test: ${cell}`);
    expect([file, existsSync(join(root, file))]).toEqual([file, true]);
    expect(read(file)).toContain(title);
  }
}

const [, reliabilityText = ''] = read('docs/reliability.md').split('\n## Known traps and their tests\n');

const traps = claimsOf(reliabilityText);

describe('the traps of docs/reliability.md', () => {
  it('cover every subject of the field notes, and Redis', () => {
    expect(new Set(traps.map(({ name }) => name.split(':')[0]))).toEqual(
      new Set([
        'RabbitMQ and amqplib',
        'undici',
        'opossum',
        'Retrying',
        'The platform',
        'Redis',
        'Two commands on a bare machine',
      ]),
    );
  });

  it.each(traps)('$name', expectHeld);
});

const claims = claimsOf(read('docs/security.md'));

describe('docs/security.md', () => {
  it('covers callers, queues, the platform, connections, the process, the settings and the supply chain', () => {
    expect(new Set(claims.map(({ name }) => name.split(':')[0]))).toEqual(
      new Set([
        'Callers on the bus',
        'What lies in queues and in Redis',
        'The platform and what is in front of it',
        'The broker and Redis',
        'The process',
        'The sandbox',
        'Settings',
        'Supply chain',
      ]),
    );
  });

  it.each(claims)('$name', expectHeld);
});
