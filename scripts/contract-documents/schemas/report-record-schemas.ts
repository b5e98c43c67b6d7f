import { REPORT_AMOUNTS } from '#platform';

import { type Definitions, type JsonSchema, reference, text } from './json-schema.ts';

/** Whole digits, however many: more than 2^53 is a number that most readers round. */
const AMOUNT: JsonSchema = {
  type: 'integer',
  description: 'Minor units of the currency, digit for digit.',
};
const DAY: JsonSchema = { type: 'string', format: 'date', description: 'The day of the aggregate.' };
const MONEY_TYPE: JsonSchema = {
  type: 'integer',
  description: 'Money type; the interface does not show what the codes mean.',
};

/** A record of each report as `report.page` carries it; a platform may give further members. */
export const RECORD_SCHEMAS: Definitions = {
  AdHocRecord: {
    type: 'object',
    required: ['id', 'userId', 'date', 'moneyType', 'currency', ...REPORT_AMOUNTS['ad-hoc']],
    properties: {
      id: text('Id of the record.'),
      userId: text('The player.'),
      date: DAY,
      moneyType: MONEY_TYPE,
      currency: text('ISO code.'),
      ...Object.fromEntries(REPORT_AMOUNTS['ad-hoc'].map((name) => [name, AMOUNT])),
    },
  },
  RakeRecord: {
    type: 'object',
    required: ['id', 'userId', 'currency', ...REPORT_AMOUNTS.rake],
    properties: {
      id: text('Id of the record.'),
      userId: text('The player.'),
      currency: text('ISO code.'),
      value: AMOUNT,
    },
  },
};

/** Which records a page holds, by its report; those of a page with faults may be anything. */
export const RECORDS_OF_PAGE: JsonSchema = {
  allOf: [recordsOf('ad-hoc', 'AdHocRecord'), recordsOf('rake', 'RakeRecord')],
};

function recordsOf(report: string, record: string): JsonSchema {
  return {
    if: { properties: { report: { const: report } }, not: { required: ['faults'] } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { properties: { records: { items: reference(record) } } },
  };
}
