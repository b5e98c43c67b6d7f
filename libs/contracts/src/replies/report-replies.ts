import { IsBoolean, IsIn, IsInt, IsISO8601, IsString, Min } from 'class-validator';

import { REPORT_AMOUNTS, type ReportName } from '../reports.ts';
import { membersOf, type ReplyDefinition } from '../validation/definition.ts';
import { IsArrayOf, isObject, MayBeAbsent, MustBeGiven, rule } from '../validation/member-rules.ts';

/** Each currency with its number of decimals, or `null`. */
const IsPrecisions = rule(
  'isPrecisions',
  { type: 'object', additionalProperties: { type: ['integer', 'null'], minimum: 0 } },
  (value) =>
    isObject(value) &&
    Object.values(value).every(
      (count) => count === null || (Number.isSafeInteger(count) && Number(count) >= 0),
    ),
  'must hold a number of decimals or null for each currency',
);

/** Records of a report, each with its id. */
const IsRecords = rule(
  'isRecords',
  { type: 'array', items: { type: 'object', required: ['id'] } },
  (value) => Array.isArray(value) && value.every((record) => isObject(record) && 'id' in record),
  'must be an array of records, each with its id',
);

const REPORT_NAMES = Object.keys(REPORT_AMOUNTS);

/** The platform's attributes of one record, names in camelCase, and its `id`; amounts are integers in minor units, digit for digit. */
export type ReportRecord = Readonly<Record<string, unknown>> & { readonly id: string };

/** A fault of a record that was passed on as it is. */
export class RecordFault {
  @MustBeGiven('JSON pointer into the page.', IsString())
  readonly pointer!: string;
  @MustBeGiven('What is wrong with it; never the value.', IsString())
  readonly message!: string;
}

/** The data of `report.page`. */
export class ReportPage {
  @MustBeGiven('Which report.', IsIn(REPORT_NAMES))
  readonly report!: ReportName;
  @MustBeGiven('Which page.', IsInt(), Min(1))
  readonly page!: number;
  @MustBeGiven('As the platform counts.', IsInt(), Min(0))
  readonly pageCount!: number;
  @MustBeGiven('As the platform counts.', IsInt(), Min(0))
  readonly perPage!: number;
  @MustBeGiven('Records of the whole report.', IsInt(), Min(0))
  readonly totalCount!: number;
  @MustBeGiven(
    'Each currency on the page with its number of decimals, null if none is configured.',
    IsPrecisions,
  )
  readonly precisions!: Readonly<Record<string, number | null>>;
  @MustBeGiven("When the platform's answer arrived: ISO 8601, UTC.", IsISO8601())
  readonly readAt!: string;
  @MustBeGiven("The platform's attributes, names in camelCase, and id.", IsRecords)
  readonly records!: readonly ReportRecord[];
  @MayBeAbsent(
    'What is wrong with records that were passed on as they are, with REPORT_RECORDS=lenient.',
    IsArrayOf(RecordFault),
  )
  readonly faults?: readonly RecordFault[];
}

/** The data of `report.completed`. */
export class ReportCompleted {
  @MustBeGiven('Which report.', IsIn(REPORT_NAMES))
  readonly report!: ReportName;
  @MustBeGiven('Pages that were published.', IsInt(), Min(0))
  readonly pages!: number;
  @MustBeGiven('Records on them.', IsInt(), Min(0))
  readonly records!: number;
  @MustBeGiven("As the platform's last answer counts.", IsInt(), Min(0))
  readonly totalCount!: number;
  @MustBeGiven('Whether a count changed between pages, or records repeat or are missing.', IsBoolean())
  readonly changedWhileReading!: boolean;
  @MustBeGiven('Records that came more than once, by id, currency and money type.', IsInt(), Min(0))
  readonly repeated!: number;
  @MustBeGiven('Repeated records whose figures differed from the first time.', IsInt(), Min(0))
  readonly changed!: number;
  @MustBeGiven('Records of totalCount on no page, negative if there are more; 0 for a single page.', IsInt())
  readonly missing!: number;
  @MustBeGiven("When the platform's first answer arrived: ISO 8601, UTC.", IsISO8601())
  readonly readFrom!: string;
  @MustBeGiven("When the platform's last answer arrived: ISO 8601, UTC.", IsISO8601())
  readonly readTo!: string;
  @MustBeGiven('Whether readFrom and readTo are in different intervals of ten minutes.', IsBoolean())
  readonly spansIntervals!: boolean;
  @MustBeGiven('Faults of its records; 0 unless REPORT_RECORDS=lenient.', IsInt(), Min(0))
  readonly faults!: number;
}

const NO_AMOUNTS = Object.fromEntries(REPORT_AMOUNTS['ad-hoc'].map((amount) => [amount, 0]));

/** Nothing about it is odd, and all of it was read at once. */
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
  announced: membersOf(ReportCompleted),
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
