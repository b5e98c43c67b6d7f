import { ERROR_CODES, isCommandType } from '#contracts';
import { type Kept, Redriver } from '#messaging/client';
import type { OutgoingMessage } from '#rabbitmq';
import { readInternalKey } from '#settings';

import { commandFaults } from '../command-faults.ts';
import { readValue } from '../input.ts';
import type { Options } from '../options.ts';
import { readBus } from '../servers.ts';
import { type ActionOptions, carryOut } from './carry-out.ts';
import { type Change, changedBody } from './change-body.ts';
import { neverDelivered, type QueueName } from './kept-queue.ts';

export type RedriveOptions = ActionOptions &
  Options<never, 'force'> & { readonly set?: readonly Change[]; readonly unset?: readonly Change[] };

const FOREIGN = 'no worker with this INTERNAL_KEY, or these secret keys,';

export async function redrive(options: RedriveOptions): Promise<void> {
  const { unset = [], set = [], force = false } = options;
  const redriver = newRedriver();
  const read = async (change: Change) => ({ ...change, value: await readValue(change.value ?? '') });
  const changes = [...unset, ...(await Promise.all(set.map(read)))];
  const replace = ({ facts: { isCut, reason }, message }: Kept): OutgoingMessage => {
    if (isCut) throw new Error('only the first KiB of its body was kept: its caller has to send it again');
    const redriving = redriver.read(message);
    if (!redriving.isProved && !force) {
      throw new Error(
        `${FOREIGN} wrote it: use the settings of the workers, or --force to send it as an anonymous caller`,
      );
    }
    if (changes.length === 0) {
      if (force || !wouldFailAgain(reason)) return redriver.commandOf(redriving);
      throw new Error(
        `${reason}: it would fail the same way; change it with --set or --unset, or use --force if the cause is gone`,
      );
    }
    const content = changedBody(message.content, changes, redriving.envelope.form === 'packet');
    const { type, data } = redriver.read({ ...message, content }).envelope;
    const faults = force || !isCommandType(type) ? [] : commandFaults(type, data);
    if (faults.length === 0) return redriver.commandOf(redriving, content);
    throw new Error(`changed so, it is still not valid: ${faults.join('; ')}`);
  };
  return carryOut('deadLetters', options, {
    verb: 'Redrive',
    done: 'redriven',
    replace,
    endsAtRefusal: true,
  });
}

export async function redeliver(options: ActionOptions): Promise<void> {
  const redriver = newRedriver();
  const replace = ({ facts, message }: Kept): OutgoingMessage => {
    const never = neverDelivered(facts);
    if (never !== undefined) throw new Error(never);
    const reply = redriver.replyOf(message);
    if (reply) return reply;
    throw new Error(`${FOREIGN} parked it: use the settings of the workers`);
  };
  return carryOut('undelivered', options, { verb: 'Redeliver', done: 'redelivered', replace });
}

export function discard(queue: QueueName, options: ActionOptions): Promise<void> {
  return carryOut(queue, options, { verb: 'Discard', done: 'discarded' });
}

function newRedriver(): Redriver {
  return new Redriver(readBus().prefix, readInternalKey(process.env));
}

/** What is wrong with the command itself stays wrong; a poison command would kill its workers again. */
function wouldFailAgain(reason: string): boolean {
  const codes: Readonly<Record<string, { readonly category: string } | undefined>> = ERROR_CODES;
  return reason === 'POISON_COMMAND' || codes[reason]?.category === 'invalid';
}
