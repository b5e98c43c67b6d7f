import { InvalidArgumentError } from 'commander';

import { ERROR_CODES } from '#contracts';
import { type Kept, Redriver } from '#messaging/operator';
import type { OutgoingMessage } from '#rabbitmq';
import { readInternalKey } from '#settings';
import { exactJson } from '#signing';

import { commandFaults } from '../command-faults.ts';
import { jsonOr, type Options, readValue } from '../input.ts';
import { readBus } from '../servers.ts';
import { type ActionOptions, carryOut } from './carry-out.ts';
import { bodyOf, neverDelivered } from './list.ts';

interface Change {
  /** The option as given, for error messages. */
  readonly text: string;
  readonly path: readonly string[];
  /** JSON, a text, or `@` and the path of a file; absent to remove the member. */
  readonly value?: string;
}

export type RedriveOptions = ActionOptions &
  Options<never, 'force'> & { readonly set?: readonly Change[]; readonly unset?: readonly Change[] };

type Container = Record<string, unknown>;

const FOREIGN = 'no worker with this INTERNAL_KEY, or these secret keys,';

export function readSet(text: string): Change {
  const [, pointer = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  return { text, path: pathOf(pointer, ', = and a value, such as /session/lang=de'), value };
}

export function readUnset(text: string): Change {
  return { text, path: pathOf(text, ', such as /session/lang') };
}

function pathOf(pointer: string, rest: string): readonly string[] {
  // An assignment to `__proto__` would not create a member.
  if (!/^\/([^~]|~[01])*$/.test(pointer) || /\/__proto__(\/|$)/.test(pointer))
    throw new InvalidArgumentError(`It must be a JSON pointer${rest}.`);
  const names = pointer.slice(1).split('/');
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export async function redrive(options: RedriveOptions): Promise<void> {
  const { unset = [], set = [], force = false } = options;
  const redriver = newRedriver();
  const read = async (change: Change) => ({ ...change, value: await readValue(change.value ?? '') });
  const changes = [...unset, ...(await Promise.all(set.map(read)))];
  const replace = ({ facts: { isCut, reason }, message }: Kept): OutgoingMessage => {
    if (isCut) throw new Error('its body was truncated to a KiB: its caller has to send it again');
    const redriving = redriver.read(message);
    if (!redriving.isProved && !force) {
      throw new Error(
        `${FOREIGN} wrote it: use the settings of the workers, or --force to send it as an anonymous caller`,
      );
    }
    if (changes.length === 0) {
      if (force || !wouldFailAgain(reason)) return redriver.commandOf(redriving);
      throw new Error(
        `${reason}: it would fail again; change it with --set or --unset, or use --force if the cause is gone`,
      );
    }
    const content = changedBody(message.content, changes, redriving.envelope.form === 'packet');
    const { type, data } = redriver.read({ ...message, content }).envelope;
    const faults = force ? [] : commandFaults(type, data);
    if (faults.length === 0) return redriver.commandOf(redriving, content);
    throw new Error(`with this change it is still invalid: ${faults.join('; ')}`);
  };
  return carryOut(options, { queue: 'deadLetters', verb: 'Redrive', done: 'redriven', replace });
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
  return carryOut(options, { queue: 'undelivered', verb: 'Redeliver', done: 'redelivered', replace });
}

function newRedriver(): Redriver {
  return new Redriver(readBus().prefix, readInternalKey(process.env));
}

/** True for invalid commands, and for poison commands, which would kill their workers again. */
function wouldFailAgain(reason: string): boolean {
  const codes: Readonly<Record<string, { readonly category: string } | undefined>> = ERROR_CODES;
  return reason === 'POISON_COMMAND' || codes[reason]?.category === 'invalid';
}

/**
 * Applies changes to a body.
 *
 * @param isPacket true if the data is a member of it
 * @throws Error without a quote
 */
export function changedBody(content: Buffer, changes: readonly Change[], isPacket: boolean): Buffer {
  const body = bodyOf(content);
  if (!isContainer(body)) throw new Error('its body is not a JSON object, and cannot be changed');
  for (const { text, path, value } of changes) {
    const names = [...(isPacket ? ['data'] : []), ...path];
    const last = names.pop() ?? '';
    let container = body;
    for (const name of names) {
      const next = Object.hasOwn(container, name) ? container[name] : (container[name] = {});
      if (!isContainer(next))
        throw new Error(`${text}: it leads through something other than an object or a list`);
      container = next;
    }
    if (value === undefined) delete container[last];
    else container[last] = jsonOr(value, value);
  }
  return Buffer.from(exactJson(body));
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}
