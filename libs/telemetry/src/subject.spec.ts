import { createHmac } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import { subjectOf } from './subject.ts';

const KEY = 'k'.repeat(32);

describe('subjectOf', () => {
  it('is the beginning of an HMAC of operator and player', () => {
    const whole = createHmac('sha256', KEY).update('["default","p-1"]').digest('hex');
    expect(subjectOf(KEY, 'default', 'p-1')).toBe(whole.slice(0, 32));
  });

  it('differs by key, operator and player', () => {
    const subjects = [
      subjectOf(KEY, 'a', 'b'),
      subjectOf('l'.repeat(32), 'a', 'b'),
      subjectOf(KEY, 'b', 'a'),
      subjectOf(KEY, 'a","b', ''),
      subjectOf(KEY, 'ab', ''),
    ];
    expect(new Set(subjects).size).toBe(subjects.length);
  });
});
