import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';

import { sessionIdOf } from './game-open.controller.ts';

describe('sessionIdOf', () => {
  it('is the same for the same command, in every version of this service', () => {
    // As Python's uuid.uuid5 makes it of ["shop","default","m-1"].
    expect(sessionIdOf('shop', 'default', 'm-1')).toBe('0bac339f-d55a-5352-bdcd-9b9a7f6ce6e8');
  });

  it.each([
    ['another command', ['shop', 'default', 'm-2']],
    ['another operator', ['shop', 'casino', 'm-1']],
    ['another caller', ['cashier', 'default', 'm-1']],
    ['operator and id that join to the same text with a comma', ['shop', 'default","m-1', '']],
  ] as const)('differs for %s', (_, [caller, operator, id]) => {
    expect(sessionIdOf(caller, operator, id)).not.toBe(sessionIdOf('shop', 'default', 'm-1'));
  });
});
