import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';

import { Deadline } from '#resilience';

import { Turns } from './turns.ts';

beforeEach(() => {
  jest.useFakeTimers({ now: 0 });
});
afterEach(() => {
  jest.useRealTimers();
});

/** Takes turns under names; the log holds what came of them, in order. */
function taking(turns: Turns) {
  const log: string[] = [];
  const take = async (name: string, deadlineMs = 60_000, starts = 2): Promise<void> => {
    const isMine = await turns.take(starts, Deadline.after(deadlineMs));
    log.push(`${name} ${isMine ? 'begins' : 'is late'}`);
    if (isMine) turns.moved();
  };
  return { log, take };
}

it('gives one turn at a time, to fewer starts and earlier deadlines first', async () => {
  const turns = new Turns();
  const { log, take } = taking(turns);
  void take('first');
  void take('poison', 30_000, 3);
  void take('late', 50_000);
  void take('early', 40_000);
  await jest.advanceTimersByTimeAsync(0);
  expect(log).toEqual(['first begins']);
  expect(await turns.begin()).toBe(true);
  await jest.advanceTimersByTimeAsync(10_000);
  expect(log).toEqual(['first begins']);
  turns.end();
  await jest.advanceTimersByTimeAsync(0);
  expect(log).toEqual(['first begins', 'early begins']);
  for (let i = 0; i < 2; i += 1) {
    turns.end();
    await jest.advanceTimersByTimeAsync(0);
  }
  expect(log).toEqual(['first begins', 'early begins', 'late begins', 'poison begins']);
});

it('goes on if what has the turn is delivered to another process', async () => {
  const turns = new Turns();
  const { log, take } = taking(turns);
  void take('first');
  void take('second');
  await jest.advanceTimersByTimeAsync(249);
  expect(log).toEqual(['first begins']);
  await jest.advanceTimersByTimeAsync(1);
  expect(log).toEqual(['first begins', 'second begins']);
});

it('lets nothing begin while another one runs, whose turn it was elsewhere', async () => {
  const turns = new Turns();
  const { log, take } = taking(turns);
  expect(await Promise.all([turns.begin(), turns.begin()])).toEqual([true, false]);
  void take('first');
  await jest.advanceTimersByTimeAsync(1_000);
  expect(log).toEqual([]);
  turns.end();
  await jest.advanceTimersByTimeAsync(0);
  expect(log).toEqual(['first begins']);
});

it('gives up a wait at its deadline', async () => {
  const turns = new Turns();
  const { log, take } = taking(turns);
  await turns.begin();
  void take('first', 100);
  void take('second');
  await jest.advanceTimersByTimeAsync(100);
  turns.end();
  await jest.advanceTimersByTimeAsync(0);
  expect(log).toEqual(['first is late', 'second begins']);
});

it('begins only when the original is settled, which would come back beside its copy', async () => {
  const turns = new Turns();
  expect(await turns.take(2, Deadline.after(60_000))).toBe(true);
  let hasBegun = false;
  const begun = turns.begin().then(() => (hasBegun = true));
  await jest.advanceTimersByTimeAsync(1_000);
  expect(hasBegun).toBe(false);
  turns.moved();
  await begun;
  expect(hasBegun).toBe(true);
});
