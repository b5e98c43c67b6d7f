import { expect, it } from '@jest/globals';

import { readRecord, ToleratedFaults } from './read-record.ts';
import { camelCase, RAKE_RECORD } from './read-record.ts';

it('names some thousands of faults, and counts all of them', () => {
  const faults = new ToleratedFaults();
  const attributes = { 'user-id': 'u', currency: 'USD', value: '1' };
  const resource = { type: 'players-rake', id: '1', attributes };
  for (let index = 0; index < 10_001; index += 1) readRecord(resource, RAKE_RECORD, index, faults);
  expect([faults.named.length, faults.count]).toEqual([10_000, 10_001]);
  expect(faults.named.at(-1)).toEqual({ pointer: '/records/9999/value', message: 'is not an integer' });
});

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
