import { AUTH_TYPES } from '#contracts';

import { count, type Definitions, type JsonSchema, reference, text } from '../schemas/json-schema.ts';
import { AD_HOC_AMOUNTS, AMOUNT, DAY, MONEY_TYPE } from '../schemas/report-record-schemas.ts';

const AUTH_TYPE: JsonSchema = { type: 'string', enum: AUTH_TYPES, default: 'external' };
const MOMENT: JsonSchema = {
  type: 'string',
  pattern: String.raw`^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$`,
  description: 'YYYY-MM-DD HH:MM:SS',
};
const LINK: JsonSchema = {
  type: 'object',
  required: ['href'],
  properties: { href: { type: 'string', format: 'uri' } },
};

/** An object that names every member that the platform writes; strict, so that an answer with another one shows. */
function exact(
  required: Readonly<Record<string, JsonSchema>>,
  optional: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  return {
    type: 'object',
    required: Object.keys(required),
    properties: { ...required, ...optional },
    additionalProperties: false,
  };
}

const resource = (type: string, attributes: JsonSchema): JsonSchema =>
  exact({ type: { const: type }, id: text(), attributes });

function collection(record: string, links: readonly string[]): JsonSchema {
  return exact({
    data: { type: 'array', items: reference(record) },
    links: exact(Object.fromEntries(links.map((name) => [name, LINK]))),
    meta: exact({
      'total-count': count('Records of the whole report.'),
      'page-count': count('Pages of it.'),
      'current-page': count('Which page.', 1),
      'per-page': count('Records on a page, at most.', 1),
    }),
  });
}

const optionalText = (names: readonly string[]): Record<string, JsonSchema> =>
  Object.fromEntries(names.map((name) => [name, text()]));

/** Bodies of the platform's interface. Source: interface document. */
export const OPENAPI_SCHEMAS: Definitions = {
  SessionForm: {
    type: 'object',
    required: ['userId'],
    properties: {
      userId: text('The same value as in the path.'),
      nick: text('Visible to other players.'),
      authType: AUTH_TYPE,
      lang: { type: 'string', pattern: '^[A-Za-z]{2}$', default: 'en' },
      currency: text('ISO code; can become required by configuration.'),
    },
  },
  SessionDocument: exact({ data: reference('Session') }),
  Session: resource(
    'session',
    exact({
      'user-id': text(),
      'redirect-url': { type: 'string', format: 'uri' },
      auth: text(),
      'session-id': text(),
    }),
  ),
  OpenGameDocument: {
    type: 'object',
    required: ['data'],
    properties: {
      data: {
        type: 'object',
        required: ['type', 'attributes'],
        properties: {
          type: { const: 'OpenGame' },
          attributes: {
            type: 'object',
            required: ['player'],
            properties: { session: reference('OpenGameSession'), player: reference('OpenGamePlayer') },
          },
        },
      },
    },
  },
  OpenGameSession: {
    type: 'object',
    properties: {
      id: text('External session id; generated when omitted.'),
      authType: AUTH_TYPE,
      tableId: { type: 'integer', description: 'The table; without it the lobby opens.' },
      lang: text('ISO code.'),
      launchOptions: {
        type: ['object', 'string'],
        description: 'An object, or a string of JSON that holds one.',
      },
      longLifeLoginToken: { type: 'boolean', default: true },
      userIp: text("The player's IP address."),
    },
  },
  OpenGamePlayer: {
    type: 'object',
    required: ['id'],
    properties: {
      id: text('External player id.'),
      ...optionalText(['nick', 'name', 'email', 'referredBy', 'referralCode', 'bonusCode']),
      avatar: { type: 'integer' },
      ...optionalText(['phoneNumber', 'tag']),
      active: { type: 'boolean' },
      verified: { type: 'boolean' },
      trustedLevel: { type: 'integer' },
      ...optionalText(['currency', 'preferredCurrency']),
      country: text('ISO code; the interface does not show the name of this member.'),
    },
  },
  GameSessionDocument: exact({ data: reference('GameSession') }),
  GameSession: resource(
    'GameSession',
    exact({ playerId: text(), sessionId: text(), auth: text(), url: { type: 'string', format: 'uri' } }),
  ),
  ReportForm: {
    type: 'object',
    required: ['dateFrom', 'dateTo'],
    properties: { dateFrom: MOMENT, dateTo: MOMENT, userId: text(), currency: text('ISO code.') },
  },
  AdHocReport: collection('AdHocRecord', ['self']),
  AdHocRecord: resource(
    'ad-hoc-report',
    exact({
      'user-id': text(),
      date: DAY,
      'money-type': MONEY_TYPE,
      currency: text('ISO code.'),
      ...Object.fromEntries(AD_HOC_AMOUNTS.map((name) => [name, AMOUNT])),
    }),
  ),
  RakeReport: collection('RakeRecord', ['self', 'first', 'last']),
  RakeRecord: resource(
    'players-rake',
    exact({ 'user-id': text(), currency: text('ISO code.'), value: AMOUNT }),
  ),
  ErrorDocument: exact({ errors: { type: 'array', minItems: 1, items: reference('ErrorEntry') } }),
  ErrorEntry: exact(
    {
      status: { type: 'integer', minimum: 400, maximum: 599 },
      title: text('The name of the status.'),
      detail: text('What is wrong; callers decide by it.'),
    },
    {
      source: exact({ pointer: text('Path to the offending member.') }),
      meta: { type: 'object', description: 'What a real platform would not tell; the sandbox alone has it.' },
    },
  ),
};
