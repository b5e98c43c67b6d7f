import fc from 'fast-check';

import { canary } from './canary.ts';
import type { HostileMessage, ReplyTo } from './hostile-message.ts';

const PERIOD = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };
/** Data that may identify a person; ids are not canaries, since replies, events and logs name them. */
const playerId = fc.nat(99).map((number) => `player-${number}`);

const texts = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, canary]));
const session = fc.record(
  {
    userId: playerId,
    authType: fc.constantFrom('external', 'internal'),
    lang: fc.constantFrom('en', 'de'),
    ...texts('nick currency'),
  },
  { requiredKeys: ['userId'] },
);
const player = fc.record(
  {
    id: playerId,
    avatar: fc.nat(),
    active: fc.boolean(),
    email: canary,
    ...texts('nick name referredBy referralCode bonusCode phoneNumber tag country'),
  },
  { requiredKeys: ['id', 'email'] },
);
const options = fc.record({ restoreSessionUrl: canary, list: fc.array(canary, { maxLength: 3 }) });
const launchOptions = fc.oneof(
  options,
  options.map((object) => JSON.stringify(object)),
);
const game = fc.record(
  {
    player,
    session: fc.record(
      { id: playerId, tableId: fc.nat(), userIp: canary, launchOptions },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['player'] },
);
const report = fc.record(
  {
    dateFrom: fc.constant(PERIOD.dateFrom),
    dateTo: fc.constant(PERIOD.dateTo),
    userId: canary,
    currency: canary,
    page: fc.integer({ min: 1, max: 3 }),
    perPage: fc.constantFrom(1, 2, 1_000),
  },
  { requiredKeys: ['dateFrom', 'dateTo'] },
);

type TypedData = readonly [type: string, data: Record<string, unknown>];
const typed = (type: string, data: fc.Arbitrary<object>): fc.Arbitrary<TypedData> =>
  fc.tuple(fc.constant(type), data as fc.Arbitrary<Record<string, unknown>>);

const valid = fc.oneof(
  { weight: 3, arbitrary: typed('session.create', session) },
  { weight: 3, arbitrary: typed('game.open', game) },
  { weight: 1, arbitrary: typed('report.ad-hoc.fetch', report) },
  { weight: 1, arbitrary: typed('report.rake.fetch', report) },
);

/** The same with one fault, and canaries all around it. */
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
const replyTo = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<ReplyTo>('usable', 'direct') },
  { weight: 1, arbitrary: fc.constantFrom<ReplyTo>('missing', 'ours', 'gone') },
);

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

/** Its message. @param scope of its identity */
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
