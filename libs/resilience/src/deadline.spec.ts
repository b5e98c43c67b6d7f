import { setImmediate as turn } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { Deadline, DeadlineExceeded, oneAtATime, Slices } from './deadline.ts';

describe('deadline', () => {
  beforeEach(() => {
    jest.useFakeTimers({ now: 1_000_000 });
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  const never = () => new Promise<never>(() => undefined);

  describe('Deadline', () => {
    it('tells by its clock what remains, never less than nothing', () => {
      let nowMs = 100;
      const deadline = new Deadline(1_000_050, 1_000_000, () => nowMs);
      expect(deadline.atMs).toBe(1_000_050);
      expect([deadline.remainingMs(), deadline.expired]).toEqual([50, false]);
      nowMs = 150;
      expect([deadline.remainingMs(), deadline.expired]).toEqual([0, true]);
      nowMs = 1000;
      expect(deadline.remainingMs()).toBe(0);
    });

    it.each([-3_600_000, 3_600_000])(
      'is as far away as before if the time of day jumps by %d ms',
      async (jumpMs) => {
        const deadline = Deadline.after(5000);
        const ended = Promise.allSettled([deadline.race(never())]);
        jest.setSystemTime(Date.now() + jumpMs);
        expect([deadline.remainingMs(), deadline.expired]).toEqual([5000, false]);
        jest.advanceTimersByTime(5000);
        expect(deadline.expired).toBe(true);
        expect(await ended).toMatchObject([{ reason: { name: 'DeadlineExceeded' } }]);
      },
    );

    it('settles a race as the promise does, and leaves no timer', async () => {
      const deadline = Deadline.after(5000);
      await expect(deadline.race(Promise.resolve('done'))).resolves.toBe('done');
      await expect(deadline.race(Promise.reject(new Error('failed')))).rejects.toThrow('failed');
      expect(jest.getTimerCount()).toBe(0);
    });

    it('ends a race at the deadline, and not before', async () => {
      const deadline = Deadline.after(5000);
      const settled = jest.fn();
      const race = deadline.race(never());
      race.catch(settled);
      await jest.advanceTimersByTimeAsync(4999);
      expect(settled).not.toHaveBeenCalled();
      await jest.advanceTimersByTimeAsync(1);
      await expect(race).rejects.toBeInstanceOf(DeadlineExceeded);
      expect(jest.getTimerCount()).toBe(0);
    });

    it('ends a race at once if it has passed already, and handles a later rejection', async () => {
      const late = Promise.reject(new Error('late'));
      await expect(new Deadline(Date.now()).race(late)).rejects.toBeInstanceOf(DeadlineExceeded);
      expect(jest.getTimerCount()).toBe(0);
    });

    it('holds one timer for all listeners, and none without', () => {
      const deadline = Deadline.after(5000);
      const heard = jest.fn();
      const unsubscribes = Array.from({ length: 10 }, () => deadline.onExpired(heard));
      expect(jest.getTimerCount()).toBe(1);
      for (const unsubscribe of unsubscribes) unsubscribe();
      expect(jest.getTimerCount()).toBe(0);
      deadline.onExpired(heard);
      expect(jest.getTimerCount()).toBe(1);
      jest.advanceTimersByTime(5000);
      expect(heard).toHaveBeenCalledTimes(1);
    });

    it('waits longer than the longest delay of a timer', () => {
      const deadline = Deadline.after(2 ** 32);
      const heard = jest.fn();
      deadline.onExpired(heard);
      jest.advanceTimersByTime(2 ** 32 - 1);
      expect(heard).not.toHaveBeenCalled();
      jest.advanceTimersByTime(1);
      expect(heard).toHaveBeenCalledTimes(1);
    });

    it('does not fire early if the timer does', () => {
      let nowMs = 0;
      const deadline = new Deadline(100, 0, () => nowMs);
      const heard = jest.fn();
      deadline.onExpired(heard);
      nowMs = 99;
      jest.advanceTimersByTime(100);
      expect(heard).not.toHaveBeenCalled();
      nowMs = 100;
      jest.advanceTimersByTime(1);
      expect(heard).toHaveBeenCalledTimes(1);
    });
  });
});

describe('slices', () => {
  /** Takes longer than a slice. */
  function busy(): void {
    for (const endMs = performance.now() + 2; performance.now() < endMs;);
  }

  it('does one slice a turn, of all who wait in turn', async () => {
    const steps: string[] = [];
    const work = async (name: string): Promise<void> => {
      const slices = new Slices();
      for (let step = 0; step < 3; step += 1) {
        await slices.next();
        steps.push(name);
        busy();
      }
    };
    const done = Promise.all([work('a'), work('b')]);
    const counts: number[] = [];
    while (steps.length < 6) {
      await turn();
      counts.push(steps.length);
    }
    await done;
    expect(steps).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
    expect(Math.max(...counts.map((count, index) => count - (counts[index - 1] ?? 0)))).toBe(1);
  });

  it('does several steps in a slice if they are short', async () => {
    const slices = new Slices();
    await slices.next();
    let isNextTurn = false;
    setImmediate(() => (isNextTurn = true));
    await slices.next();
    expect(isNextTurn).toBe(false);
  });

  it('does large work one after the other, whether it succeeds or fails', async () => {
    const log: string[] = [];
    const work = (name: string) => async () => {
      log.push(`${name} begins`);
      await turn();
      log.push(`${name} ends`);
      if (name === 'a') throw new Error(name);
      return name;
    };
    const [a, b] = await Promise.allSettled([oneAtATime(work('a')), oneAtATime(work('b'))]);
    expect([a.status, b]).toEqual(['rejected', { status: 'fulfilled', value: 'b' }]);
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });
});
