import { type BadMessage, invalid } from './bad-message.ts';

const SESSION = { userId: 'p-1' };

const withHeaders = (headers: object): Partial<BadMessage> => ({ options: { headers } });

/** Properties and headers that break section 2. */
export const PROPERTIES: readonly BadMessage[] = [
  ...Object.entries({
    '201 bytes': 'x'.repeat(201),
    '101 characters of two bytes': 'é'.repeat(101),
  }).map(([what, messageId]) =>
    invalid(`a message id of ${what}`, SESSION, ['/properties/message_id'], {
      options: { messageId },
    }),
  ),
  ...Object.entries({
    'a word': 'tomorrow',
    nothing: '',
    'a time without a zone': '2099-01-01T00:00:00',
    'a day that does not exist': '2099-02-30T00:00:00Z',
    'a day alone': '2099-01-01',
    'a fraction': 1.5,
    'a boolean': true,
    'a list': ['2099-01-01T00:00:00Z'],
    'a table': { at: 1 },
    'a negative number in a string': '-1',
    'an AMQP timestamp': { '!': 'timestamp', value: 4_070_908_800 },
  }).map(([what, value]) =>
    invalid(`x-deadline: ${what}`, SESSION, ['/headers/x-deadline'], withHeaders({ 'x-deadline': value })),
  ),
  ...['1', 1.5, true, { v: 1 }, ''].map((version) =>
    invalid(
      `schema-version ${JSON.stringify(version)}`,
      SESSION,
      ['/headers/schema-version'],
      withHeaders({ 'schema-version': version }),
    ),
  ),
  invalid(
    'an operator that is a list',
    SESSION,
    ['/headers/operator'],
    withHeaders({ operator: ['default'] }),
  ),
  invalid('an operator that is a number', SESSION, ['/headers/operator'], withHeaders({ operator: 1 })),
  invalid(
    'everything at once',
    {},
    ['/properties/message_id', '/headers/x-deadline', '/headers/operator', '/userId'],
    { options: { messageId: 'x'.repeat(250), headers: { 'x-deadline': 'soon', operator: 7 } } },
  ),
  { name: 'schema-version 2', ...withHeaders({ 'schema-version': 2 }), code: 'UNSUPPORTED_VERSION' },
  { name: 'schema-version 0', ...withHeaders({ 'schema-version': 0 }), code: 'UNSUPPORTED_VERSION' },
  { name: 'schema-version -1', ...withHeaders({ 'schema-version': -1 }), code: 'UNSUPPORTED_VERSION' },
  ...['nobody', '', 'DEFAULT', '__proto__', 'x'.repeat(10_000)].map((operator) => ({
    name: `the operator ${operator.slice(0, 20)}`,
    ...withHeaders({ operator }),
    code: 'UNKNOWN_OPERATOR',
  })),
];
