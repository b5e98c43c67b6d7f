/** What the interface lists as amounts. Source: interface document, "Ad hoc report record" and "Player rake record". */
const AMOUNTS = [
  'win',
  'loss',
  'deposit',
  'withdraw',
  'bets',
  'rake',
  'jackpot',
  'tournamentFee',
  'tournamentBet',
  'tournamentPrize',
  'cashResult',
  'tournamentResult',
  'ticketFee',
  'ticketBet',
  'slotCredit',
  'slotDebit',
  'rakeback',
  'rakebackPaid',
  'rakebackUnpaid',
  'rabbitHunting',
] as const;

type Amounts<Name extends string> = { readonly [N in Name]: bigint };

interface PlatformRecord {
  readonly id: string;
  readonly userId: string;
  readonly currency: string;
  /** What the platform adds to the attributes that its interface lists. */
  readonly [attribute: string]: unknown;
}

/** One player on one day, of one money type in one currency. Amounts are in minor units of the currency. */
export type AdHocRecord = PlatformRecord &
  Amounts<(typeof AMOUNTS)[number]> & {
    /** `YYYY-MM-DD`. */
    readonly date: string;
    readonly moneyType: number;
  };

/** A player's rake in one currency, in its minor units. */
export type RakeRecord = PlatformRecord & Amounts<'value'>;

const IS_AMOUNT: ReadonlySet<string> = new Set([...AMOUNTS, 'value']);

/** A record with its amounts as bigint; what is no integer, which a lenient worker passes on, stays as it is. */
export function readRecord<R>(record: Readonly<Record<string, unknown>>): R {
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record)) {
    read[name] = IS_AMOUNT.has(name) && Number.isInteger(value) ? BigInt(value as number) : value;
  }
  return read as R;
}
