import { describe, expect, it } from '@jest/globals';

import { claimsOf, expectHeld } from './claims.ts';
import { read } from './markdown.ts';

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
