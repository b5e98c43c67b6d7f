import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { itemsOf, read, root } from './markdown.ts';

const [, text = ''] = read('docs/reliability.md').split('\n## Known traps and their tests\n');
const SPEC = /^`([^`]+\.spec\.(?:ts|mjs))`(?:: (.+))?$/;

const traps = itemsOf(text).flatMap(({ heading, text: item, items }) => {
  const [found, trap = '', means = ''] = /^\*\*(.+?)\*\*: (.+)$/.exec(item) ?? [];
  return found === undefined ? [] : [{ name: `${heading}: ${trap}`, means, tests: items }];
});

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

  it.each(traps)('$name', ({ means, tests }) => {
    expect(means).not.toBe('');
    expect(tests).not.toEqual([]);
    for (const cell of tests) {
      const [, file, title = ''] = SPEC.exec(cell) ?? [];
      if (file === undefined) throw new Error(`not a spec, with or without the name of a test: ${cell}`);
      expect([file, existsSync(join(root, file))]).toEqual([file, true]);
      expect(read(file)).toContain(title);
    }
  });
});
