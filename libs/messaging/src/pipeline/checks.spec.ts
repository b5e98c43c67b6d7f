import { describe, expect, it } from '@jest/globals';

import { COMMAND_TYPES, CommandError, SessionCreate } from '#contracts';

import { checkCommand } from './checks.ts';
import { commandOf } from './command-in-hand.fixture.ts';

type Facts = NonNullable<Parameters<typeof commandOf>[0]>;

const KNOWN = {
  handlers: new Map(COMMAND_TYPES.map((type) => [type, undefined])),
  hasOperator: (name: string) => name === 'default',
};

function errorOf(facts: Facts, known = KNOWN): CommandError {
  try {
    checkCommand(commandOf(facts), known);
  } catch (error) {
    if (error instanceof CommandError) return error;
    throw error;
  }
  throw new Error('the command was found valid');
}

/** Each fault with its code, in the order in which they are told. */
const FAULTS: [code: string, facts: Facts][] = [
  ['MALFORMED_MESSAGE', { body: [] }],
  ['UNSUPPORTED_VERSION', { headers: { 'schema-version': 2 } }],
  ['UNKNOWN_COMMAND', { properties: { type: 'no.such.command' } }],
  ['REPLY_TO_MISSING', { properties: { replyTo: undefined } }],
  ['UNKNOWN_OPERATOR', { headers: { operator: 'casino' } }],
  ['VALIDATION_FAILED', { body: {} }],
];

describe('checkCommand', () => {
  it('returns the data of a valid command as an instance of its class', () => {
    const data = checkCommand(commandOf({ body: { userId: 'p-1', lang: 'de' } }), KNOWN);
    expect(data).toBeInstanceOf(SessionCreate);
    expect(data).toEqual(Object.assign(new SessionCreate(), { userId: 'p-1', lang: 'de' }));
  });

  it.each(FAULTS)('refuses with %s', (code, facts) => {
    expect(errorOf(facts)).toMatchObject({ code, category: 'invalid', retryable: false });
  });

  it.each(FAULTS.map(([code], index) => [code, FAULTS.slice(index).map(([, facts]) => facts)] as const))(
    'tells %s before every fault that comes after it',
    (code, all) => {
      // The earlier fault wins where two of them need the same member.
      const merged = all.reduceRight<Facts>(
        (later, facts) => ({
          ...later,
          ...facts,
          properties: { ...later.properties, ...facts.properties },
          headers: { ...later.headers, ...facts.headers },
        }),
        {},
      );
      expect(errorOf(merged).code).toBe(code);
    },
  );

  it.each([
    ['too large', { body: { nick: 'x'.repeat(70_000) } }, 'MESSAGE_TOO_LARGE'],
    [
      'answered to the service itself',
      { properties: { replyTo: 'poker.interactive' } },
      'REPLY_TO_FORBIDDEN',
    ],
    ['of a type that only the prototype has', { properties: { type: 'constructor' } }, 'UNKNOWN_COMMAND'],
    [
      'an event of Nest',
      { properties: { replyTo: undefined }, body: { pattern: 'session.create', data: {} } },
      'REPLY_TO_MISSING',
    ],
    ['for an empty operator name', { headers: { operator: '' } }, 'UNKNOWN_OPERATOR'],
    ['a packet without data', { body: { pattern: 'session.create', id: 'n-1' } }, 'VALIDATION_FAILED'],
  ])('refuses a command that is %s', (_, facts, code) => {
    expect(errorOf(facts).code).toBe(code);
  });

  it('tells of an operator that is no text as of any fault, and of an unknown one before all others', () => {
    const headers = { 'x-deadline': 'tomorrow' };
    expect(errorOf({ headers: { operator: 7 } }).code).toBe('VALIDATION_FAILED');
    expect(errorOf({ headers: { ...headers, operator: 'casino' } }).code).toBe('UNKNOWN_OPERATOR');
  });

  it('knows the types that it has handlers for, and no other', () => {
    expect(errorOf({}, { ...KNOWN, handlers: new Map() }).code).toBe('UNKNOWN_COMMAND');
  });

  it('tells the faults of properties, headers and data at once', () => {
    const error = errorOf({
      properties: { messageId: 'x'.repeat(201) },
      headers: { operator: 7, 'x-deadline': 'tomorrow', 'schema-version': '1' },
      body: { userId: '', nickname: 'Lucky' },
    });
    expect(error.code).toBe('VALIDATION_FAILED');
    expect(error.violations?.map(({ pointer }) => pointer).sort()).toEqual([
      '/headers/operator',
      '/headers/schema-version',
      '/headers/x-deadline',
      '/nickname',
      '/properties/message_id',
      '/userId',
    ]);
  });

  it('refuses valid data whose headers are not', () => {
    expect(errorOf({ headers: { 'x-deadline': 'tomorrow' } }).violations).toHaveLength(1);
  });

  it('refuses a member named __proto__ like any other that is unknown', () => {
    const error = errorOf({ body: Buffer.from('{"userId":"p-1","__proto__":{"nick":"x"}}') });
    expect(error.violations?.map(({ pointer }) => pointer)).toEqual(['/__proto__']);
  });
});
