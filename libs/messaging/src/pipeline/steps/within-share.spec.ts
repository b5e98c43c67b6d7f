import { beforeEach, describe, expect, it } from '@jest/globals';

import { CommandError, type Reply } from '#contracts';
import { Window } from '#resilience';

import type { Command } from '../../command/command.ts';
import { commandOf, RECEIVED_AT_MS } from '../../command/command.fixture.ts';
import { MemoryIdempotencyStore } from '../../idempotency/memory-idempotency-store.ts';
import type { MessagingObserver } from '../../observer/messaging-observer.ts';
import type { Settlement } from '../settlement.ts';
import { leaveShare } from '../lane-window.ts';
import { chain } from '../step.ts';
import { deduplicate } from './deduplicate.ts';
import { withinShare } from './within-share.ts';

const SIZE = 16;
const SLOW_MS = 5_000;
const OVERLOADED = new CommandError('OVERLOADED');
const answerOf = (userId: string): Settlement => ({
  kind: 'answer',
  reply: {
    type: 'session.created',
    data: { userId, sessionId: 's-1', auth: 'a', redirectUrl: 'https://play.example' },
  } satisfies Reply,
});

let nowMs: number;
let window: Window;
let calls: Map<string, PromiseWithResolvers<Settlement>>;
let replayed: string[];
let settle: (id: string, body?: object) => Promise<Settlement>;

beforeEach(() => {
  nowMs = RECEIVED_AT_MS;
  window = new Window(SIZE, SLOW_MS, () => nowMs);
  calls = new Map();
  replayed = [];
  const idempotency = new MemoryIdempotencyStore(60_000, () => nowMs);
  const observer = { commandReplayed: ({ id }: { id: string }) => replayed.push(id) };
  const run = chain([
    withinShare(window, idempotency),
    deduplicate({ idempotency, observer: observer as unknown as MessagingObserver, nowMs: () => nowMs }),
    ({ envelope }: Command) => {
      const call = Promise.withResolvers<Settlement>();
      calls.set(envelope.id, call);
      return call.promise;
    },
  ]);
  settle = (id, body) => {
    const command = commandOf({ properties: { messageId: id }, ...(body && { body }) });
    const settled = run(command).finally(() => leaveShare(window, command));
    // A test may look at it later.
    settled.catch(() => undefined);
    return settled;
  };
});

/** As many commands as are in flight when a compartment that is stuck holds its share. */
function fill(): Promise<Settlement>[] {
  const all = Array.from({ length: SIZE / 2 }, (_, index) => settle(`held-${index}`));
  nowMs += SLOW_MS + 1;
  return all;
}

function answer(id: string): void {
  calls.get(id)?.resolve(answerOf(id));
}

describe('withinShare', () => {
  it('refuses a command of a compartment that holds its share and is stuck, and counts it', async () => {
    void fill();
    await expect(settle('new')).rejects.toEqual(OVERLOADED);
    expect(window.holdings.get('session.create default')).toMatchObject({ inFlight: 8, overflowed: 1 });
  });

  it('has a repeat of one that was answered replayed', async () => {
    const answered = settle('answered');
    answer('answered');
    await answered;
    void fill();
    expect(await settle('answered')).toEqual(answerOf('answered'));
    expect(replayed).toEqual(['answered']);
    expect(window.holdings.get('session.create default')).toMatchObject({ inFlight: 8, overflowed: 0 });
  });

  it('has a repeat of one that is in flight wait for its reply', async () => {
    const [first] = fill();
    const repeat = settle('held-0');
    expect(window.holdings.get('session.create default')).toMatchObject({ overflowed: 0 });
    answer('held-0');
    expect([await first, await repeat]).toEqual([answerOf('held-0'), answerOf('held-0')]);
    expect(replayed).toEqual(['held-0']);
  });

  it('lets the waiting repeats hold a half of what is left, and refuses further ones', async () => {
    void fill();
    const repeats = Array.from({ length: 4 }, () => settle('held-0'));
    await expect(settle('held-0')).rejects.toEqual(OVERLOADED);
    await expect(settle('held-1')).rejects.toEqual(OVERLOADED);
    expect(window.holdings.get('session.create default')).toMatchObject({ inFlight: 8, overflowed: 2 });
    answer('held-0');
    expect(await Promise.all(repeats)).toEqual(repeats.map(() => answerOf('held-0')));
  });

  it('takes no repeat for a sign that the compartment moves', async () => {
    const answered = settle('answered');
    answer('answered');
    await answered;
    for (let index = 1; index < SIZE / 2; index += 1) void settle(`held-${index}`);
    nowMs += SLOW_MS + 1;
    await settle('answered');
    await expect(settle('answered', { userId: 'somebody else' })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
    });
    void settle('held-last');
    await expect(settle('new')).rejects.toEqual(OVERLOADED);
  });

  it('tells of a conflict rather than of too much', async () => {
    void fill();
    await expect(settle('held-0', { userId: 'somebody else' })).rejects.toEqual(
      new CommandError('IDEMPOTENCY_CONFLICT'),
    );
  });
});
