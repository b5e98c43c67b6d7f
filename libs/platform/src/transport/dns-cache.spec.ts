import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { DnsCache, type Resolve } from './dns-cache.ts';

type Answer = Parameters<Resolve>[2];

const ONE = [{ address: '192.0.2.1', family: 4 }];
const TWO = [
  { address: '2001:db8::2', family: 6 },
  { address: '192.0.2.2', family: 4 },
];

/** Returns a cache whose resolver answers when the test calls `answer`. */
function system() {
  const questions: { host: string; answer: Answer }[] = [];
  const cache = new DnsCache((host, _options, answer) => void questions.push({ host, answer }));
  const lookup = (host: string, family = 0) =>
    new Promise<unknown>((resolve, reject) => {
      cache.lookup(host, { all: true, family }, (error, found) => (error ? reject(error) : resolve(found)));
    });
  return { cache, questions, lookup };
}

/** Fails a resolution as Node.js does: without addresses. */
function fail(question?: { answer: Answer }): void {
  const error = Object.assign(new Error('unknown'), { code: 'ENOTFOUND' });
  (question?.answer as ((error: Error) => void) | undefined)?.(error);
}

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('DnsCache', () => {
  it('resolves each name once for all waiting look-ups, and again after a failure', async () => {
    const { questions, lookup } = system();
    const waiting = [lookup('a'), lookup('a'), lookup('b')];
    const failed = Promise.allSettled([lookup('c'), lookup('c')]);
    expect(questions.map(({ host }) => host)).toEqual(['a', 'b', 'c']);
    questions[0]?.answer(null, ONE);
    questions[1]?.answer(null, TWO);
    fail(questions[2]);
    expect(await Promise.all(waiting)).toEqual([ONE, ONE, TWO]);
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    void lookup('c');
    expect(questions).toHaveLength(4);
  });

  it('resolves at most eight slow names at once, and other names immediately', async () => {
    const { questions, lookup } = system();
    const hosts = Array.from({ length: 40 }, (_, n) => `dead-${n}`);
    const failed = hosts.map((host) => lookup(host).catch(() => 'failed'));
    jest.advanceTimersByTime(5_000);
    for (const question of questions.splice(0)) fail(question);
    await Promise.all(failed);

    const again = hosts.map((host) => lookup(host).catch(() => 'failed'));
    const healthy = lookup('healthy');
    expect(questions.map(({ host }) => host)).toEqual([...hosts.slice(0, 8), 'healthy']);
    questions.at(-1)?.answer(null, ONE);
    expect(await healthy).toEqual(ONE);
    // Every queued name is resolved eventually.
    for (let n = 0; n < questions.length; n += 1) if (questions[n]?.host !== 'healthy') fail(questions[n]);
    expect(await Promise.all(again)).toEqual(hosts.map(() => 'failed'));
  });

  it('caches addresses for ten seconds, and for ten minutes while a resolution hangs', async () => {
    const { questions, lookup } = system();
    const first = lookup('a');
    questions[0]?.answer(null, ONE);
    await first;
    jest.advanceTimersByTime(9_900);
    expect(await lookup('a')).toEqual(ONE);
    expect(questions).toHaveLength(1);
    jest.advanceTimersByTime(200);
    const slow = lookup('a');
    jest.advanceTimersByTime(500);
    expect(await slow).toEqual(ONE);
    const next = lookup('a');
    jest.advanceTimersByTime(1);
    expect(await next).toEqual(ONE);
    expect(questions).toHaveLength(2);
    jest.advanceTimersByTime(600_000);
    const last = lookup('a');
    jest.advanceTimersByTime(1_000);
    questions[1]?.answer(null, TWO);
    expect(await last).toEqual(TWO);
  });

  it('returns cached addresses if a resolution fails, for ten minutes', async () => {
    const { questions, lookup } = system();
    const first = lookup('a');
    questions[0]?.answer(null, ONE);
    await first;
    jest.advanceTimersByTime(590_000);
    const second = lookup('a');
    fail(questions[1]);
    expect(await second).toEqual(ONE);
    jest.advanceTimersByTime(10_001);
    const third = lookup('a');
    fail(questions[2]);
    await expect(third).rejects.toThrow('unknown');
  });

  it('returns the addresses of the requested family, or a single address', async () => {
    const { cache, questions, lookup } = system();
    const v4 = lookup('a', 4);
    questions[0]?.answer(null, TWO);
    expect(await v4).toEqual([TWO[1]]);
    const one = await new Promise((resolve) => {
      cache.lookup('a', {}, (_error, address, family) => resolve([address, family]));
    });
    expect(one).toEqual(['2001:db8::2', 6]);
    const none = lookup('b', 6);
    questions[1]?.answer(null, ONE);
    await expect(none).rejects.toThrow('no address');
  });
});
