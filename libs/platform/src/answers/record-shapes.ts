import { camelCase } from './camel-case.ts';

/** What the interface document says of the records of a report; names as the platform writes them. */
export interface RecordShape {
  readonly type: string;
  /** Without which a record is none. */
  readonly texts: readonly string[];
  /** With `REPORT_RECORDS=lenient`, a record may be without these. */
  readonly tolerableTexts: readonly string[];
  readonly integers: readonly string[];
}

/** Source: interface document, "Ad hoc report record". */
export const AD_HOC_RECORD: RecordShape = {
  type: 'ad-hoc-report',
  texts: ['date'],
  tolerableTexts: ['user-id', 'currency'],
  integers: [
    'money-type',
    'win',
    'loss',
    'deposit',
    'withdraw',
    'bets',
    'rake',
    'jackpot',
    'tournament-fee',
    'tournament-bet',
    'tournament-prize',
    'cash-result',
    'tournament-result',
    'ticket-fee',
    'ticket-bet',
    'slot-credit',
    'slot-debit',
    'rakeback',
    'rakeback-paid',
    'rakeback-unpaid',
    'rabbit-hunting',
  ],
};

/** Source: interface document, "Player rake record". */
export const RAKE_RECORD: RecordShape = {
  type: 'players-rake',
  texts: [],
  tolerableTexts: ['user-id', 'currency'],
  integers: ['value'],
};

/** A kind, not an amount. */
const MONEY_TYPE = 'money-type';

/** The members of a record that are amounts of its currency, as replies name them. */
export const REPORT_AMOUNTS = {
  'ad-hoc': amountsOf(AD_HOC_RECORD),
  rake: amountsOf(RAKE_RECORD),
} as const;

function amountsOf({ integers }: RecordShape): readonly string[] {
  return integers.filter((name) => name !== MONEY_TYPE).map(camelCase);
}
