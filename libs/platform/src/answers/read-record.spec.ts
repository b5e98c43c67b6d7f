import { expect, it } from '@jest/globals';

import { readRecord, ToleratedFaults } from './read-record.ts';
import { RAKE_RECORD } from './record-shapes.ts';

it('names some thousands of faults, and counts all of them', () => {
  const faults = new ToleratedFaults();
  const attributes = { 'user-id': 'u', currency: 'USD', value: '1' };
  const resource = { type: 'players-rake', id: '1', attributes };
  for (let index = 0; index < 10_001; index += 1) readRecord(resource, RAKE_RECORD, index, faults);
  expect([faults.named.length, faults.count]).toEqual([10_000, 10_001]);
  expect(faults.named.at(-1)).toEqual({ pointer: '/records/9999/value', message: 'is not an integer' });
});
