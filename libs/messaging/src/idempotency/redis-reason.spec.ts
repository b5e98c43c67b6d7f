import { describe, expect, it } from '@jest/globals';

import { reasonOf } from './redis-reason.ts';

describe('reasonOf', () => {
  it.each([
    ['connect ECONNREFUSED 127.0.0.1:6379', 'connect ECONNREFUSED 127.0.0.1:6379'],
    ['Command timed out', 'Command timed out'],
    ["ERR unknown command 'AUTH', with args beginning with: 'user' 'secret' ", "ERR unknown command 'AUTH'"],
    [
      'ERR unknown command `HELLO`, with args beginning with: `3`\n`AUTH` `secret`',
      'ERR unknown command `HELLO`',
    ],
  ])('of %s', (message, reason) => {
    expect(reasonOf(new Error(message))).toBe(reason);
  });
});
