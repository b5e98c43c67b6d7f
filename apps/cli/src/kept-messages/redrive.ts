import { ERROR_CODES, isCommandType } from '#contracts';
import { type Kept, redeliveredReply, Redriver, type Redriving } from '#messaging/client';
import { readInternalKey } from '#settings';

import { readBus } from '../servers.ts';
import { commandFaults } from '../command-faults.ts';
import type { Options } from '../options.ts';
import { type ActionOptions, carryOut } from './carry-out.ts';
import { type Change, changedBody, withFile } from './change-body.ts';
import { neverDelivered, type QueueName } from './kept-queue.ts';

export type RedriveOptions = ActionOptions &
  Options<never, 'force'> & { readonly set?: readonly Change[]; readonly unset?: readonly Change[] };

const FOREIGN = 'no worker with this INTERNAL_KEY, or these secret keys,';

/** Sends dead letters back to the lanes of their types, changed if that is wanted. */
export async function redrive(options: RedriveOptions): Promise<void> {
  const { unset = [], set = [], force = false } = options;
  const redriver = new Redriver(readBus().prefix, readInternalKey(process.env));
  const changes = [...unset, ...(await Promise.all(set.map(withFile)))];
  const contentOf = ({ letter, envelope }: Redriving): Buffer => {
    const dataPath = envelope.form === 'packet' ? ['data'] : [];
    return changes.length === 0 ? letter.content : changedBody(letter.content, changes, dataPath);
  };
  const refusalOf = ({ facts: { isCut, reason }, message }: Kept): string | undefined => {
    if (isCut) return 'only the first KiB of its body was kept: its caller has to send it again';
    const redriving = redriver.read(message);
    if (!redriving.isProved && !force) {
      return `${FOREIGN} wrote it: use the settings of the workers, or --force to send it as an anonymous caller`;
    }
    if (changes.length === 0) {
      if (force || !wouldFailAgain(reason)) return undefined;
      return `${reason}: it would fail the same way; change it with --set or --unset, or use --force if the cause is gone`;
    }
    try {
      const { type, data } = redriver.read({ ...message, content: contentOf(redriving) }).envelope;
      const faults = force || !isCommandType(type) ? [] : commandFaults(type, data);
      return faults.length > 0 ? `changed so, it is still not valid: ${faults.join('; ')}` : undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
  return carryOut('deadLetters', options, {
    verb: 'Redrive',
    done: 'redriven',
    refusalOf,
    decide: ({ message }) => {
      const redriving = redriver.read(message);
      return redriver.commandOf(redriving, contentOf(redriving));
    },
    endsAtRefusal: true,
  });
}

/** Sends parked replies to their queues, in order and under the ids that they had. */
export async function redeliver(options: ActionOptions): Promise<void> {
  const [{ prefix }, internalKey] = [readBus(), readInternalKey(process.env)];
  const replyOf = ({ message }: Kept) => redeliveredReply(message, prefix, internalKey);
  return carryOut('undelivered', options, {
    verb: 'Redeliver',
    done: 'redelivered',
    refusalOf: (kept) =>
      neverDelivered(kept.facts) ??
      (replyOf(kept) ? undefined : `${FOREIGN} parked it: use the settings of the workers`),
    decide: (kept) => replyOf(kept) ?? 'leave',
  });
}

export function discard(queue: QueueName, options: ActionOptions): Promise<void> {
  return carryOut(queue, options, { verb: 'Discard', done: 'discarded', decide: () => 'remove' });
}

/** What is wrong with the command itself stays wrong; a poison command would kill its workers again. */
function wouldFailAgain(reason: string): boolean {
  const codes: Readonly<Record<string, { readonly category: string }>> = ERROR_CODES;
  return (
    reason === 'POISON_COMMAND' || (Object.hasOwn(codes, reason) && codes[reason]?.category === 'invalid')
  );
}
