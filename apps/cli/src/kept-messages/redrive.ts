import { CommandError, ERROR_CODES, isCommandType } from '#contracts';
import { validateCommand } from '#contracts/validation';
import { type Kept, Redriver, type Redriving } from '#messaging/client';
import { readInternalKey } from '#settings';

import { readBus } from '../bus/bus.ts';
import { withKeptQueue } from '../bus/with-kept-queue.ts';
import type { ExitCode } from '../exit.ts';
import { interruptibly } from '../interruption.ts';
import { type Action, type ActionOptions, carryOut } from './carry-out.ts';
import { type Change, changedBody, type SetOption, withFile } from './change-body.ts';
import type { Noun } from './describe-kept.ts';

export interface RedriveOptions extends ActionOptions {
  readonly set?: readonly SetOption[];
  readonly unset?: readonly Change[];
  readonly force?: true;
}

/** Sends dead letters back to the lanes of their types, changed if that is wanted. */
export async function redrive(noun: Noun, options: RedriveOptions): Promise<ExitCode> {
  const [{ prefix }, internalKey] = [readBus(), readInternalKey(process.env)];
  const redriver = new Redriver(prefix, internalKey);
  const set = await Promise.all((options.set ?? []).map(withFile));
  const changes = [...(options.unset ?? []), ...set];
  const action: Action = {
    verb: 'Redrive',
    done: 'redriven',
    noun,
    refusalOf: (kept) => refusalOf(kept, redriver.read(kept.message), changes, options.force ?? false),
    decide: ({ message }) => {
      const redriving = redriver.read(message);
      return redriver.commandOf(redriving, contentOf(redriving, changes));
    },
    endsAtRefusal: true,
  };
  return interruptibly((signal) =>
    withKeptQueue('deadLetters', (queue) => carryOut(queue, action, options, signal)),
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
    return isForced ? undefined : faultsOf(redriving, content);
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
  const { content } = letter;
  return changes.length === 0 ? content : changedBody(content, changes, dataPath(envelope.form));
}

/** Where the data of the command is in its body. */
function dataPath(form: Redriving['envelope']['form']): readonly string[] {
  return form === 'packet' ? ['data'] : [];
}

/** What a worker of this version would still refuse; the messages quote nothing of the data. */
function faultsOf({ envelope: { type, form } }: Redriving, content: Buffer): string | undefined {
  if (!isCommandType(type)) return undefined;
  const body = JSON.parse(content.toString()) as Record<string, unknown>;
  try {
    validateCommand(type, form === 'packet' ? body['data'] : body);
    return undefined;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const faults = error.violations?.map(({ pointer, message }) => `${pointer} ${message}`) ?? [
      error.message,
    ];
    return `changed so, it is still not valid: ${faults.join('; ')}`;
  }
}
