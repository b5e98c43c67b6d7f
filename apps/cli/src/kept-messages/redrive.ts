import { ERROR_CODES, isCommandType } from '#contracts';
import {
  type Kept,
  type KeptQueueOptions,
  redeliveredReply,
  Redriver,
  type Redriving,
} from '#messaging/client';
import { readInternalKey } from '#settings';

import { readBus } from '../bus/bus.ts';
import { withKeptQueue } from '../bus/with-kept-queue.ts';
import type { ExitCode } from '../exit.ts';
import { commandFaults } from '../input/command-faults.ts';
import { interruptibly } from '../interruption.ts';
import { type Action, type ActionOptions, carryOut } from './carry-out.ts';
import { type Change, changedBody, type SetOption, withFile } from './change-body.ts';
import { neverDelivered, type Noun } from './describe-kept.ts';

export interface RedriveOptions extends ActionOptions {
  readonly set?: readonly SetOption[];
  readonly unset?: readonly Change[];
  readonly force?: true;
}

/** Sends dead letters back to the lanes of their types, changed if that is wanted. */
export async function redrive(noun: Noun, options: RedriveOptions): Promise<ExitCode> {
  const redriver = new Redriver(readBus().prefix, readInternalKey(process.env));
  const set = await Promise.all((options.set ?? []).map(withFile));
  const changes = [...(options.unset ?? []), ...set];
  return act('deadLetters', options, {
    verb: 'Redrive',
    done: 'redriven',
    noun,
    refusalOf: (kept) => refusalOf(kept, redriver.read(kept.message), changes, options.force ?? false),
    decide: ({ message }) => {
      const redriving = redriver.read(message);
      return redriver.commandOf(redriving, contentOf(redriving, changes));
    },
    endsAtRefusal: true,
  });
}

/** Sends parked replies to their queues, in order and under the ids that they had. */
export async function redeliver(noun: Noun, options: ActionOptions): Promise<ExitCode> {
  const [{ prefix }, internalKey] = [readBus(), readInternalKey(process.env)];
  const replyOf = ({ message }: Kept) => redeliveredReply(message, prefix, internalKey);
  const foreign =
    'no worker with this INTERNAL_KEY, or these secret keys, parked it: use the settings of the workers';
  return act('undelivered', options, {
    verb: 'Redeliver',
    done: 'redelivered',
    noun,
    refusalOf: (kept) => neverDelivered(kept.facts) ?? (replyOf(kept) ? undefined : foreign),
    decide: (kept) => replyOf(kept) ?? 'leave',
    endsAtRefusal: false,
  });
}

/** Removes messages for good. */
export function discard(
  queue: KeptQueueOptions['queue'],
  noun: Noun,
  options: ActionOptions,
): Promise<ExitCode> {
  const names = { verb: 'Discard', done: 'discarded', noun };
  return act(queue, options, {
    ...names,
    refusalOf: () => undefined,
    decide: () => 'remove',
    endsAtRefusal: false,
  });
}

function act(queue: KeptQueueOptions['queue'], options: ActionOptions, action: Action): Promise<ExitCode> {
  return interruptibly((signal) =>
    withKeptQueue(queue, (kept) => carryOut(kept, action, options, signal), options),
  );
}

function refusalOf(
  { facts: { isCut, reason } }: Kept,
  redriving: Redriving,
  changes: readonly Change[],
  isForced: boolean,
): string | undefined {
  if (isCut) return 'only the first KiB of its body was kept: its caller has to send it again';
  if (!redriving.isProved && !isForced) {
    return 'no worker with this INTERNAL_KEY, or these secret keys, wrote it: use the settings of the workers, or --force to send it as an anonymous caller';
  }
  if (changes.length === 0) {
    if (isForced || !wouldFailAgain(reason)) return undefined;
    return `${reason}: it would fail the same way; change it with --set or --unset, or use --force if the cause is gone`;
  }
  try {
    const content = contentOf(redriving, changes);
    const faults = isForced ? [] : faultsOf(redriving, content);
    return faults.length > 0 ? `changed so, it is still not valid: ${faults.join('; ')}` : undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** What is wrong with the command itself stays wrong; a poison command would kill its workers again. */
function wouldFailAgain(reason: string): boolean {
  if (reason === 'POISON_COMMAND') return true;
  return (
    Object.hasOwn(ERROR_CODES, reason) &&
    ERROR_CODES[reason as keyof typeof ERROR_CODES].category === 'invalid'
  );
}

function contentOf({ letter, envelope }: Redriving, changes: readonly Change[]): Buffer {
  const dataPath = envelope.form === 'packet' ? ['data'] : [];
  return changes.length === 0 ? letter.content : changedBody(letter.content, changes, dataPath);
}

function faultsOf({ envelope: { type, form } }: Redriving, content: Buffer): string[] {
  if (!isCommandType(type)) return [];
  const body = JSON.parse(content.toString()) as Record<string, unknown>;
  return commandFaults(type, form === 'packet' ? body['data'] : body);
}
