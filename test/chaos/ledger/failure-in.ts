import type { LedgerReply } from './ledger.ts';

/** What an error body says of itself. */
export interface Failure {
  readonly code: string;
  readonly retryable: boolean;
}

/** The failure that a reply of ours tells of, also in a packet of Nest's; undefined if it tells of none. */
export function failureIn({ type, text }: Pick<LedgerReply, 'type' | 'text'>): Failure | undefined {
  if (type !== 'command.failed') return undefined;
  const body = JSON.parse(text) as Failure & { readonly err?: Failure };
  return body.err ?? body;
}
