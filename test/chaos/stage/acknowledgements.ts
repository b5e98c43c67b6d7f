import type { Ledger } from '../ledger/ledger.ts';

/** Enters what a worker of ours has logged of its answers; other services log none. */
export function readAcknowledgements(output: string, ledger: Ledger): void {
  for (const line of output.split('\n')) {
    if (!line.includes('"msg":"command answered"')) continue;
    const { id, time } = JSON.parse(line) as { readonly id: string; readonly time: string };
    ledger.acknowledged(id, Date.parse(time));
  }
}
