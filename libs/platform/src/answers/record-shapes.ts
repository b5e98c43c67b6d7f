/** What the interface document says of the records of a report; names as the platform writes them. */
export interface RecordShape {
  readonly type: string;
  /** Texts that every record has. */
  readonly texts: readonly string[];
  /** Texts that a record may lack with `REPORT_RECORDS=lenient`. */
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

const MAX_NAMES = 1000;
const MAX_LENGTH = 64;
/** The names of the interface are few and short; those of a hostile answer are remembered only up to a limit. */
const NAMES = new Map<string, string>();
/** Looks at a run of dashes once: from its first one alone. */
const DASHES = /(?<!-)-+([^-])/g;

/** The name of an attribute in replies: `user-id` as `userId`. */
export function camelCase(name: string): string {
  let converted = NAMES.get(name);
  if (converted === undefined) {
    converted = name.replace(DASHES, (_dash, next: string) => next.toUpperCase());
    if (NAMES.size >= MAX_NAMES) NAMES.clear();
    if (name.length <= MAX_LENGTH) NAMES.set(name, converted);
  }
  return converted;
}

/** The members of a record that are amounts of its currency, as replies name them. */
export const REPORT_AMOUNTS = {
  'ad-hoc': amountsOf(AD_HOC_RECORD),
  rake: amountsOf(RAKE_RECORD),
} as const;

/** Money type is a kind, not an amount. */
function amountsOf({ integers }: RecordShape): readonly string[] {
  return integers.filter((name) => name !== 'money-type').map(camelCase);
}
