import { describe, expect, it } from '@jest/globals';

import {
  busNames,
  COMMAND_TYPES,
  commandTypeOf,
  isCommandType,
  isFinalReplyType,
  LANE_OF_COMMAND,
  LANES,
  SCHEMA_VERSION,
} from './message-types.ts';

describe('command types', () => {
  it('are those of the contract, each in its lane', () => {
    expect(LANE_OF_COMMAND).toMatchObject({
      'session.create': 'interactive',
      'game.open': 'interactive',
      'report.ad-hoc.fetch': 'reports',
      'report.rake.fetch': 'reports',
    });
    expect(COMMAND_TYPES).toEqual(Object.keys(LANE_OF_COMMAND));
    expect(LANES).toEqual(['interactive', 'reports']);
    expect(SCHEMA_VERSION).toBe(1);
  });

  it.each(COMMAND_TYPES)('%s is one', (type) => {
    expect(isCommandType(type)).toBe(true);
    expect(commandTypeOf([...type].join(''))).toBe(type);
  });

  it.each([
    '',
    'session',
    'Session.create',
    'session.create ',
    '__proto__',
    'constructor',
    'toString',
    null,
    5,
    {},
  ])('%j is none', (type) => {
    expect(isCommandType(type)).toBe(false);
    expect(commandTypeOf(String(type))).toBeUndefined();
  });

  it.each([[['session.create']], [undefined]])('nor is %j', (type) => {
    expect(isCommandType(type)).toBe(false);
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
    ['', false],
    [undefined, false],
    [{}, false],
  ])('%j ends its command: %j', (type, expected) => {
    expect(isFinalReplyType(type)).toBe(expected);
  });
});

describe('busNames', () => {
  it('are those of the contract under the prefix poker', () => {
    const { retry, ...names } = busNames();
    expect(names).toEqual({
      reserved: 'poker.',
      commands: 'poker.commands',
      unknownCommands: 'poker.commands.unknown',
      events: 'poker.events',
      lanes: { interactive: 'poker.interactive', reports: 'poker.reports' },
      quarantine: 'poker.quarantine',
      deadLetters: 'poker.dead-letters',
      undelivered: 'poker.replies.undelivered',
    });
    expect(retry(5000)).toBe('poker.reports.retry.5000');
  });

  it('all start with the given prefix', () => {
    const { retry, lanes, ...names } = busNames('test-7');
    const all = [...Object.values(names), ...Object.values(lanes), retry(1)];
    for (const name of all) expect(name).toMatch(/^test-7\./);
    expect(new Set(all).size).toBe(all.length);
  });
});
