import { Min } from 'class-validator';

import { REPORT_AMOUNTS, type ReportName } from '../reports.ts';
import type { ReplyDefinition } from '../validation/definition.ts';
import { isObject, rule } from '../validation/member-rules.ts';
import { optional, required, shape } from '../validation/shape.ts';
import { IsAnyText, IsArrayOf, IsCount, IsFlag, IsInteger, IsMoment, IsOneOf } from './reply-rules.ts';

/** The number of decimals of each currency, or `null` if unknown. */
const IsPrecisions = rule<Readonly<Record<string, number | null>>>(
  'isPrecisions',
  { type: 'object', additionalProperties: { type: ['integer', 'null'], minimum: 0 } },
  (value) =>
    isObject(value) &&
    Object.values(value).every(
      (count) => count === null || (Number.isSafeInteger(count) && Number(count) >= 0),
    ),
  'must hold a number of decimals or null for each currency',
);

const IsRecords = rule<readonly ReportRecord[]>(
  'isRecords',
  { type: 'array', items: { type: 'object', required: ['id'] } },
  (value) => Array.isArray(value) && value.every((record) => isObject(record) && 'id' in record),
  'must be an array of records, each with its id',
);

const IsReportName = IsOneOf(Object.keys(REPORT_AMOUNTS) as ReportName[], 'ReportName');

/**
 * The platform's attributes of one record, names in camelCase, and its `id`; amounts are integers in minor
 * units, digit for digit.
 */
export type ReportRecord = Readonly<Record<string, unknown>> & { readonly id: string };

/** A fault of a record that was passed on unchanged. */
export class RecordFault extends shape('RecordFault', {
  pointer: required('JSON pointer into the page.', IsAnyText),
  message: required('What is wrong with it; never the value.', IsAnyText),
}) {}

export class ReportPage extends shape('ReportPage', {
  report: required('Which report.', IsReportName),
  page: required('Which page.', IsInteger, Min(1)),
  pageCount: required('As the platform counts.', IsCount),
  perPage: required('As the platform counts.', IsCount),
  totalCount: required('Records of the whole report.', IsCount),
  precisions: required(
    'Each currency on the page with its number of decimals, null if none is configured.',
    IsPrecisions,
  ),
  readAt: required("When the platform's answer arrived: ISO 8601, UTC.", IsMoment),
  records: required("The platform's attributes, names in camelCase, and id.", IsRecords),
  faults: optional(
    'What is wrong with records that were passed on as they are, with REPORT_RECORDS=lenient.',
    IsArrayOf(RecordFault),
  ),
}) {}

export class ReportCompleted extends shape('ReportCompleted', {
  report: required('Which report.', IsReportName),
  pages: required('Pages that were published.', IsCount),
  records: required('Records on them.', IsCount),
  totalCount: required("As the platform's last answer counts.", IsCount),
  changedWhileReading: required(
    'Whether a count changed between pages, or records repeat or are missing.',
    IsFlag,
  ),
  repeated: required('Records that came more than once, by id, currency and money type.', IsCount),
  changed: required('Repeated records whose figures differed from the first time.', IsCount),
  missing: required(
    'Records of totalCount on no page, negative if there are more; 0 for a single page.',
    IsInteger,
  ),
  readFrom: required("When the platform's first answer arrived: ISO 8601, UTC.", IsMoment),
  readTo: required("When the platform's last answer arrived: ISO 8601, UTC.", IsMoment),
  spansIntervals: required('Whether readFrom and readTo are in different intervals of ten minutes.', IsFlag),
  faults: required('Faults of its records; 0 unless REPORT_RECORDS=lenient.', IsCount),
}) {}

const NO_AMOUNTS = Object.fromEntries(REPORT_AMOUNTS['ad-hoc'].map((amount) => [amount, 0]));

/** A consistent report that was read at one moment. */
const COMPLETED: ReportCompleted = {
  report: 'rake',
  pages: 2,
  records: 11,
  totalCount: 11,
  changedWhileReading: false,
  repeated: 0,
  changed: 0,
  missing: 0,
  readFrom: '2026-03-02T00:20:00.120Z',
  readTo: '2026-03-02T00:20:00.480Z',
  spansIntervals: false,
  faults: 0,
};

/** The only page of a rake report, without its record. */
const RAKE_PAGE = {
  report: 'rake' as const,
  page: 1,
  pageCount: 1,
  perPage: 10,
  totalCount: 1,
  precisions: { EUR: 2 },
  readAt: COMPLETED.readFrom,
};
const RAKE_RECORD = { id: 'player-00000012-EUR', userId: 'player-00000012', currency: 'EUR', value: 28_831 };

export const reportPage = {
  type: 'report.page',
  summary: 'One page of a report.',
  data: ReportPage,
  announced: [],
  examples: [
    {
      name: 'adHoc',
      summary: 'The first page of an ad hoc report; no decimals are configured for BTC',
      headers: { 'command-type': 'report.ad-hoc.fetch' },
      data: {
        report: 'ad-hoc',
        page: 1,
        pageCount: 3,
        perPage: 1,
        totalCount: 3,
        precisions: { BTC: null },
        readAt: COMPLETED.readFrom,
        records: [
          {
            id: 'player-00000001-1-2026-03-01',
            userId: 'player-00000001',
            date: '2026-03-01',
            moneyType: 1,
            currency: 'BTC',
            ...NO_AMOUNTS,
            win: 90_071_992,
            bets: 28_831,
            rake: 144,
            cashResult: -28_831,
            rakeback: 24,
            rakebackPaid: 12,
            rakebackUnpaid: 12,
          },
        ],
      },
    },
    {
      name: 'rake',
      summary: 'The last page of a rake report: 28831 with 2 decimals is 288.31',
      headers: { 'command-type': 'report.rake.fetch', sequence: 1 },
      data: {
        ...RAKE_PAGE,
        page: 2,
        pageCount: 2,
        totalCount: 11,
        readAt: COMPLETED.readTo,
        records: [RAKE_RECORD],
      },
    },
    {
      name: 'faults',
      summary: 'A page with an amount that is no integer, passed on as it is with REPORT_RECORDS=lenient',
      headers: { 'command-type': 'report.rake.fetch' },
      data: {
        ...RAKE_PAGE,
        records: [{ ...RAKE_RECORD, value: '288.31' }],
        faults: [{ pointer: '/records/0/value', message: 'is not an integer' }],
      },
    },
  ],
} satisfies ReplyDefinition<ReportPage>;

export const reportCompleted = {
  type: 'report.completed',
  summary: 'The end of a report; an empty report is this reply alone.',
  data: ReportCompleted,
  announced: ReportCompleted.members,
  examples: [
    {
      name: 'completed',
      summary: 'After two pages',
      headers: { 'command-type': 'report.rake.fetch', sequence: 2 },
      data: COMPLETED,
    },
    {
      name: 'empty',
      summary: 'An empty report is this reply alone',
      headers: { 'command-type': 'report.ad-hoc.fetch' },
      data: {
        ...COMPLETED,
        report: 'ad-hoc' as const,
        pages: 0,
        records: 0,
        totalCount: 0,
        readTo: COMPLETED.readFrom,
      },
    },
  ],
} satisfies ReplyDefinition<ReportCompleted>;
