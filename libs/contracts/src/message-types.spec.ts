import { expect, it } from '@jest/globals';

import { COMMAND_TYPES, commandTypeOf, isCommandType } from './message-types.ts';

const OTHERS = ['', 'session', 'Session.create', 'session.create ', '__proto__', null, 5, {}, COMMAND_TYPES];

it.each(OTHERS)('%j is no command type', (type) => {
  expect(isCommandType(type)).toBe(false);
  expect(commandTypeOf(String(type))).toBeUndefined();
});
