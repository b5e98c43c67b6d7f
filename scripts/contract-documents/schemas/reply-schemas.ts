import type { GameOpened, ReportCompleted, ReportPage, SessionCreated } from '#contracts';

import {
  boolean,
  count,
  type Definitions,
  type JsonSchema,
  openObject,
  reference,
  text,
} from './json-schema.ts';
import { RECORD_SCHEMAS } from './report-record-schemas.ts';

const TOKEN = text('A short-lived token: whoever has it acts for the player. Do not log it.');
const REPORT: JsonSchema = { type: 'string', enum: ['ad-hoc', 'rake'] };

/** A schema for the data of each reply that is a success. */
export const REPLY_SCHEMAS: Definitions = {
  'session.created': openObject<SessionCreated>({
    members: {
      userId: text('The player.'),
      sessionId: text('The session.'),
      auth: TOKEN,
      redirectUrl: text('Opens the lobby; holds the token.'),
    },
    optional: {},
  }),
  'game.opened': openObject<GameOpened>({
    members: {
      id: text("The platform's id of the document."),
      playerId: text('The player.'),
      sessionId: text('As sent, or as derived.'),
      auth: TOKEN,
      url: text('Opens the lobby or the table; holds the token.'),
    },
    optional: {},
  }),
  'report.page': openObject<ReportPage>(
    {
      members: {
        report: REPORT,
        page: count('Which page.', 1),
        pageCount: count('As the platform counts.'),
        perPage: count('As the platform counts.'),
        totalCount: count('Records of the whole report.'),
        precisions: {
          type: 'object',
          description:
            'Each currency on the page with its number of decimals, null where none is configured.',
          additionalProperties: { type: ['integer', 'null'], minimum: 0 },
        },
        records: { type: 'array', items: { type: 'object', required: ['id'] } },
      },
      optional: {},
    },
    { allOf: [recordsOf('ad-hoc', 'AdHocRecord'), recordsOf('rake', 'RakeRecord')] },
  ),
  'report.completed': openObject<ReportCompleted>({
    members: {
      report: REPORT,
      pages: count('Pages that were published.'),
      records: count('Records on them.'),
      totalCount: count("As the platform's last answer counts."),
      changedWhileReading: boolean('Whether that count differed between pages.'),
    },
    optional: {},
  }),
  ...RECORD_SCHEMAS,
};

function recordsOf(report: string, record: string): JsonSchema {
  return {
    if: { properties: { report: { const: report } } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { properties: { records: { items: reference(record) } } },
  };
}
