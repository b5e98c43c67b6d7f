import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { Deadline, DeadlineExceeded } from './deadline.ts';

beforeEach(() => void jest.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void jest.useRealTimers());

const never = () => new Promise<never>(() => undefined);

describe('Deadline', () => {
  it('measures the remaining time by its clock, and never returns a negative time', () => {
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
    'keeps the remaining time when the time of day jumps by %d ms',
    async (jumpMs) => {
      const deadline = new Deadline(Date.now() + 5000);
      const ended = Promise.allSettled([deadline.race(never())]);
      jest.setSystemTime(Date.now() + jumpMs);
      expect([deadline.remainingMs(), deadline.expired]).toEqual([5000, false]);
      jest.advanceTimersByTime(5000);
      expect(deadline.expired).toBe(true);
      expect(await ended).toMatchObject([{ reason: { name: 'DeadlineExceeded' } }]);
    },
  );

  it('settles a race like the promise, and leaves no timer', async () => {
    const deadline = new Deadline(Date.now() + 5000);
    await expect(deadline.race(Promise.resolve('done'))).resolves.toBe('done');
    await expect(deadline.race(Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('rejects a race at the deadline, and not before', async () => {
    const deadline = new Deadline(Date.now() + 5000);
    const settled = jest.fn();
    const race = deadline.race(never());
    race.catch(settled);
    await jest.advanceTimersByTimeAsync(4999);
    expect(settled).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1);
    await expect(race).rejects.toBeInstanceOf(DeadlineExceeded);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('rejects a race immediately if the deadline has passed, and handles a later rejection', async () => {
    const late = Promise.reject(new Error('late'));
    await expect(new Deadline(Date.now()).race(late)).rejects.toBeInstanceOf(DeadlineExceeded);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('calls a listener asynchronously if it is added after the deadline', () => {
    const heard = jest.fn();
    new Deadline(Date.now()).onExpired(heard);
    expect(heard).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(heard).toHaveBeenCalledTimes(1);
  });

  it('calls its pending listeners, and rejects its races, when it is made to expire', async () => {
    const deadline = new Deadline(Date.now() + 5000);
    const [heard, removed] = [jest.fn(), jest.fn()];
    deadline.onExpired(heard);
    deadline.onExpired(removed)();
    const race = deadline.race(never());
    deadline.expire();
    await expect(race).rejects.toBeInstanceOf(DeadlineExceeded);
    expect([heard.mock.calls.length, removed.mock.calls.length, deadline.expired]).toEqual([1, 0, true]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('supports deadlines beyond the longest delay of a timer', () => {
    const deadline = new Deadline(Date.now() + 2 ** 32);
    const heard = jest.fn();
    deadline.onExpired(heard);
    jest.advanceTimersByTime(2 ** 32 - 1);
    expect(heard).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(heard).toHaveBeenCalledTimes(1);
  });

  it('does not expire early when a timer fires early', () => {
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
