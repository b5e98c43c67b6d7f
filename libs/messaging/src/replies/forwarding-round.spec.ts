import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import type { PublishOutcome } from '#rabbitmq';

import { FailingDestinations } from './failing-destinations.ts';
import { ForwardingRound } from './forwarding-round.ts';

const SETTLED_MS = 20;
const LONGER_THAN_A_FINISH_MS = 2_001;

/** A round with a broker whose answers a test chooses. */
class RoundUnderTest {
  /** The names of the published replies, in order. */
  readonly sent: string[] = [];
  readonly taken: string[] = [];
  nowMs = 0;
  readonly failing = new FailingDestinations();
  readonly round = new ForwardingRound(
    ({ properties: { messageId } }) => this.#publish(String(messageId)),
    () => this.nowMs,
    this.failing,
  );
  readonly #answers = new Map<string, (outcome: PublishOutcome) => void>();

  /** @param name starts with the letter of its queue */
  offer(name: string, bytes = 2): void {
    const properties = { messageId: name, headers: {} };
    const content = Buffer.alloc(bytes);
    const message = { exchange: '', routingKey: name[0] ?? '', content, mandatory: true, properties };
    void this.round.offer(message).then((isTaken) => isTaken && this.taken.push(name));
  }

  /** Answers some publishes, and lets the round continue until it waits again. */
  async answer(names: readonly string[], outcome: PublishOutcome = 'confirmed'): Promise<void> {
    await this.#settled();
    for (const name of names) this.#answers.get(name)?.(outcome);
    await this.#settled();
  }

  async #settled(): Promise<void> {
    for (let before = -1; before !== this.sent.length;) {
      before = this.sent.length;
      await sleep(SETTLED_MS);
    }
  }

  #publish(name: string): Promise<PublishOutcome> {
    this.sent.push(name);
    return new Promise((resolve) => this.#answers.set(name, resolve));
  }
}

describe('a round of parked replies', () => {
  it('sends the first reply of each queue alone, and the rest once it was accepted', async () => {
    const test = new RoundUnderTest();
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2']) test.offer(name);
    await test.answer([]);
    expect(test.sent).toEqual(['a1', 'b1']);
    await test.answer(['a1']);
    expect(test.sent).toEqual(['a1', 'b1', 'a2', 'a3']);
    await test.answer(['b1', 'a3', 'a2', 'b2']);
    await test.answer(['b2']);
    await test.round.finish();
    expect(test.taken).toEqual(['a1', 'b1', 'a3', 'a2', 'b2']);
    expect([...test.round.taken]).toEqual([
      ['a', 3],
      ['b', 2],
    ]);
    expect(test.round.isCut).toBe(false);
  });

  it.each(['refused', 'returned', 'unanswered'] as const)(
    'leaves those behind one that was %s, also if they are offered later, and sends those of other queues',
    async (outcome) => {
      const test = new RoundUnderTest();
      for (const name of ['a1', 'a2', 'b1']) test.offer(name);
      await test.answer([]);
      await test.answer(['a1'], outcome);
      for (const name of ['a3', 'b2']) test.offer(name);
      await test.answer(['b1']);
      await test.answer(['b2']);
      await test.round.finish();
      expect(test.sent).toEqual(['a1', 'b1', 'b2']);
      expect(test.taken).toEqual(['b1', 'b2']);
      expect(test.round.isCut).toBe(false);
    },
  );

  it('has at most 16 unconfirmed replies', async () => {
    const test = new RoundUnderTest();
    for (let n = 0; n < 40; n += 1) test.offer(`a${n}`);
    await test.answer(['a0']);
    expect(test.sent).toHaveLength(1 + 16);
    await test.answer(test.sent);
    expect(test.sent).toHaveLength(1 + 32);
  });

  it('gives a queue no more room than is free, so that other queues are tried, too', async () => {
    const test = new RoundUnderTest();
    for (let n = 0; n < 2_000; n += 1) test.offer(`a${n}`);
    test.offer('b0');
    await test.answer([]);
    expect(test.sent).toEqual(['a0', 'b0']);
    expect(test.round.isCut).toBe(true);
  });

  it('tries each queue once before retrying a failed one, which then waits longer', async () => {
    const test = new RoundUnderTest();
    const open = () => ['a', 'b', 'c'].filter((queue) => test.round.isOpenFor(queue)).join('');
    const begin = (atMs: number, isContinued: boolean) => test.failing.begin(atMs, isContinued);
    begin(0, false);
    for (const queue of ['a', 'b']) test.failing.failed(queue, 1);
    test.failing.failed('a', 2);
    begin(3_000, true);
    expect(open()).toBe('c');
    begin(3_003, false);
    expect(open()).toBe('abc');
    test.failing.failed('a', 3_004);
    begin(5_000, false);
    expect(open()).toBe('bc');
    expect(test.failing.nextMs).toBe(11_004);
    begin(8_003, false);
    expect(open()).toBe('bc');
    begin(8_004, false);
    expect(open()).toBe('abc');
    expect(test.failing.nextMs).toBe(16_004);
    test.failing.failed('b', 8_001);
    test.failing.delivered('a');
    begin(10_000, true);
    expect(open()).toBe('ac');
  });

  it('waits for confirms while many replies are in memory, for at most five seconds', async () => {
    const test = new RoundUnderTest();
    for (let n = 0; n < 501; n += 1) test.offer(`${String.fromCodePoint(0x4e00 + n)}1`);
    const room = test.round.room().then(() => 'room');
    expect(await Promise.race([room, sleep(SETTLED_MS, 'none')])).toBe('none');
    await test.answer(test.sent, 'returned');
    expect(await room).toBe('room');
  });

  it('holds at most 16 MiB, or one reply', async () => {
    const test = new RoundUnderTest();
    test.offer('a0', 17 * 1_024 * 1_024);
    test.offer('b0');
    await test.answer(['a0']);
    // It must not overtake the one that had no room.
    test.offer('b1');
    test.offer('c0');
    await test.answer([]);
    expect(test.sent).toEqual(['a0', 'c0']);
    expect(test.round.isCut).toBe(true);
  });

  it.each([
    [
      'two seconds after the last was offered',
      (test: RoundUnderTest) => (test.nowMs = LONGER_THAN_A_FINISH_MS),
    ],
    ['when it is stopped', (test: RoundUnderTest) => test.round.stop()],
  ])('stops %s after the in-flight replies are confirmed', async (_, end) => {
    const test = new RoundUnderTest();
    for (const name of ['a1', 'a2', 'b1']) test.offer(name);
    await test.answer([]);
    const finished = test.round.finish();
    end(test);
    expect(await Promise.race([finished, sleep(SETTLED_MS, 'in flight')])).toBe('in flight');
    await test.answer(['a1', 'b1']);
    await finished;
    expect([test.sent, test.taken]).toEqual([
      ['a1', 'b1'],
      ['a1', 'b1'],
    ]);
    expect(test.round.isCut).toBe(true);
  });
});
