import { describe, expect, it } from '@jest/globals';

import { claimsOf, expectHeld } from './claims.ts';
import { read } from './markdown.ts';

const [, text = ''] = read('docs/reliability.md').split('\n## Known traps and their tests\n');

const traps = claimsOf(text);

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
