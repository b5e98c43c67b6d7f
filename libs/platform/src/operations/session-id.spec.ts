import { describe, expect, it } from '@jest/globals';

import { sessionIdOf } from './session-id.ts';

const COMMAND = { caller: 'shop', operator: 'default', id: 'm-1' };

describe('sessionIdOf', () => {
  it('returns the same id for the same command in every version of this service', () => {
    // Computed by Python's uuid.uuid5 from ["shop","default","m-1"].
    expect(sessionIdOf(COMMAND)).toBe('0bac339f-d55a-5352-bdcd-9b9a7f6ce6e8');
  });

  it.each([
    ['another command', { id: 'm-2' }],
    ['another operator', { operator: 'casino' }],
    ['another caller', { caller: 'cashier' }],
    ['operator and id that join to the same text with a comma', { operator: 'default","m-1', id: '' }],
  ])('differs for %s', (_, change) => {
    expect(sessionIdOf({ ...COMMAND, ...change })).not.toBe(sessionIdOf(COMMAND));
  });
});
