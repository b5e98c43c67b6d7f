import fc from 'fast-check';

import { COMMAND_TYPES, type CommandType } from '#contracts';

import {
  COMPLETE,
  violationsOf,
  withMember,
} from '../../../libs/contracts/src/commands/validate-command.fixture.ts';
import { canary } from './canary.ts';
import { type HostileMessage, replyTo } from './hostile-message.ts';

/** Ids are not canaries, because replies, events and logs contain them. */
const NAMED = /^(session\.create userId|game\.open (player|session)\.id)$/;
const playerId = fc.nat(99).map((number) => `player-${number}`);
const options = fc.record({ restoreSessionUrl: canary, list: fc.array(canary, { maxLength: 3 }) });
const launchOptions = fc.oneof(
  options,
  options.map((object) => JSON.stringify(object)),
);

type Data = Record<string, unknown>;
type TypedData = readonly [type: string, data: Data];

/**
 * Valid data: free text is a canary, every other value comes from the examples.
 *
 * @param within the path of a member, `session.`
 */
function dataOf(type: CommandType, shown: object = COMPLETE[type], within = ''): fc.Arbitrary<Data> {
  const takes = (path: string, value: unknown): boolean =>
    violationsOf(type, withMember(COMPLETE[type], path, value)).length === 0;
  const memberOf = (path: string, value: unknown): fc.Arbitrary<unknown> => {
    if (NAMED.test(`${type} ${path}`)) return playerId;
    if (path === 'session.launchOptions') return launchOptions;
    if (typeof value === 'object') return dataOf(type, value as object, `${path}.`);
    if (takes(path, 'cañary')) return canary;
    if (typeof value === 'number') return fc.constantFrom(1, 2, 1_000);
    return typeof value === 'boolean' ? fc.boolean() : fc.constant(value);
  };
  const members = Object.entries(shown).map(
    ([name, value]) => [name, memberOf(within + name, value)] as const,
  );
  const requiredKeys = Object.keys(shown).filter((name) => !takes(within + name, undefined));
  return fc.record(Object.fromEntries(members), { requiredKeys });
}

const valid = fc.oneof(
  ...COMMAND_TYPES.map((type) => ({
    weight: type.startsWith('report.') ? 1 : 3,
    arbitrary: fc.tuple(fc.constant(type), dataOf(type)) as fc.Arbitrary<TypedData>,
  })),
);

/** A valid command with one fault added, surrounded by canaries. */
const spoilt = fc
  .tuple(
    valid,
    canary,
    fc.constantFrom('unknown member', 'wrong type', 'missing', 'nested', 'control character'),
  )
  .map(([[type, data], value, fault]): TypedData => {
    const [first = 'userId'] = Object.keys(data);
    if (fault === 'unknown member') return [type, { ...data, more: value }];
    if (fault === 'wrong type') return [type, { ...data, [first]: [value] }];
    if (fault === 'missing') return [type, { nick: value }];
    if (fault === 'nested') return [type, { ...data, [first]: { email: value } }];
    return [type, { ...data, nick: `${value}\u0000` }];
  });

const deadline = fc.oneof(
  { weight: 5, arbitrary: fc.constant(undefined) },
  // Relative to the moment of sending, so that a seed can be replayed later.
  { weight: 2, arbitrary: fc.constantFrom(-1_000, 0, 30, 150, 600) },
);
const rarely = <T>(rare: T, usual: T) => fc.nat(15).map((n) => (n === 0 ? rare : usual));

export type CanaryCommand = typeof canaryCommand extends fc.Arbitrary<infer C> ? C : never;

/** A valid or almost valid command that carries canaries. */
export const canaryCommand = fc.record({
  command: fc.oneof({ weight: 7, arbitrary: valid }, { weight: 1, arbitrary: spoilt }),
  form: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom('typed', 'straight', 'packet') },
    { weight: 1, arbitrary: fc.constant('torn') },
  ),
  replyTo,
  /** Commands of one case with the same value are the same command. */
  identity: fc.constantFrom('a', 'b', undefined),
  deadlineInMs: deadline,
  headers: fc.record(
    {
      operator: rarely('nobody', 'default'),
      'schema-version': rarely(2, 1),
      traceparent: fc.constantFrom('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', 'no trace'),
      'x-more': canary,
    },
    { requiredKeys: [] },
  ),
});

/** Returns the message of a command. @param scope of the command's identity */
export function messageOf(
  { command: [type, data], form, replyTo: to, identity, deadlineInMs, headers }: CanaryCommand,
  scope: string,
): HostileMessage {
  const id = identity === undefined ? undefined : `${scope}-${identity}`;
  const text = JSON.stringify(
    form === 'packet' ? { pattern: type, data, id: id ?? `${scope}-packet` } : data,
  );
  const lane = type.startsWith('report.') ? 'reports' : 'interactive';
  const deadlineHeader = deadlineInMs !== undefined && { 'x-deadline': Date.now() + deadlineInMs };
  return {
    to: form === 'straight' || form === 'packet' ? { queue: lane } : { routingKey: type },
    content: Buffer.from(form === 'torn' ? text.slice(0, Math.floor(text.length * 0.8)) : text),
    replyTo: to,
    options: {
      headers: { ...headers, ...deadlineHeader },
      ...(form === 'straight' && { type }),
      ...(id !== undefined && { messageId: id }),
    },
  };
}
