import { describe, expect, it } from '@jest/globals';

import { busNames, COMMAND_TYPES, commandTypeOf, isCommandType, isFinalReplyType } from './message-types.ts';

describe('command types', () => {
  it.each(COMMAND_TYPES)('%s is one', (type) => {
    expect(isCommandType(type)).toBe(true);
    expect(commandTypeOf([...type].join(''))).toBe(type);
  });

  it.each(['', 'session', 'Session.create', 'session.create ', '__proto__', 'toString', null, 5, {}])(
    '%j is not one',
    (type) => {
      expect(isCommandType(type)).toBe(false);
      expect(commandTypeOf(String(type))).toBeUndefined();
    },
  );

  it('a list with one is not one', () => {
    expect(isCommandType(['session.create'])).toBe(false);
  });
});

describe('reply types', () => {
  it.each([
    ['session.created', true],
    ['game.opened', true],
    ['report.page', false],
    ['report.completed', true],
    ['command.failed', true],
    ['session.create', false],
    ['constructor', false],
    [undefined, false],
  ])('%j ends its command: %j', (type, expected) => {
    expect(isFinalReplyType(type)).toBe(expected);
  });
});

describe('busNames', () => {
  it('all start with the given prefix', () => {
    const { retry, lanes, ...names } = busNames('test-7');
    const all = [...Object.values(names), ...Object.values(lanes), retry(1)];
    for (const name of all) expect(name).toMatch(/^test-7\./);
    expect(new Set(all).size).toBe(all.length);
  });
});
