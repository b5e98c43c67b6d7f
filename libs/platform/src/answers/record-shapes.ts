/** What the interface document says of the records of a report; names as the platform writes them. */
export interface RecordShape {
  readonly type: string;
  readonly texts: readonly string[];
  readonly integers: readonly string[];
}

/** Source: interface document, "Ad hoc report record". */
export const AD_HOC_RECORD: RecordShape = {
  type: 'ad-hoc-report',
  texts: ['user-id', 'date', 'currency'],
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
  texts: ['user-id', 'currency'],
  integers: ['value'],
};
