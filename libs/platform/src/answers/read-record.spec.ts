import { expect, it } from '@jest/globals';

import { camelCase } from './read-record.ts';

it.each([
  ['user-id', 'userId'],
  ['rabbit-hunting', 'rabbitHunting'],
  ['rakeback-paid', 'rakebackPaid'],
  ['win', 'win'],
  ['userId', 'userId'],
  ['a--b', 'aB'],
  ['a-1', 'a1'],
  ['trailing-', 'trailing-'],
  ['', ''],
])('%s becomes %s', (name, expected) => {
  expect(camelCase(name)).toBe(expected);
});

it('converts more names than it remembers', () => {
  for (let i = 0; i < 5000; i += 1) camelCase(`name-${i}`);
  expect(camelCase('user-id')).toBe('userId');
});
