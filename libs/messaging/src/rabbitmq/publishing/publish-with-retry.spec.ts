import { describe, expect, it } from '@jest/globals';

import type { PublishOutcome } from './confirming-channel.ts';
import { publishWithRetry } from './publish-with-retry.ts';

/** Answers with the given outcomes in turn, the last again and again, and notes when it was asked. */
function publisherOf(...outcomes: PublishOutcome[]) {
  const askedAtMs: number[] = [];
  const publish = () => {
    askedAtMs.push(performance.now());
    return Promise.resolve(outcomes[askedAtMs.length - 1] ?? outcomes.at(-1) ?? 'confirmed');
  };
  return { publish, askedAtMs };
}

const forEver = () => Number.POSITIVE_INFINITY;

describe('publishWithRetry', () => {
  it.each(['confirmed', 'returned'] as const)('takes %s at once', async (outcome) => {
    const { publish, askedAtMs } = publisherOf(outcome);
    expect(await publishWithRetry(publish, forEver)).toBe(outcome);
    expect(askedAtMs).toHaveLength(1);
  });

  it.each(['confirmed', 'returned'] as const)('publishes again until it is %s', async (outcome) => {
    const { publish, askedAtMs } = publisherOf('refused', 'refused', outcome);
    expect(await publishWithRetry(publish, forEver)).toBe(outcome);
    expect(askedAtMs).toHaveLength(3);
  });

  it.each([0, -1])('lets a refusal stand if %i ms remain', async (remainingMs) => {
    const { publish, askedAtMs } = publisherOf('refused', 'confirmed');
    expect(await publishWithRetry(publish, () => remainingMs)).toBe('refused');
    expect(askedAtMs).toHaveLength(1);
  });

  it('takes a confirmation that comes after the time is over', async () => {
    const { publish } = publisherOf('confirmed');
    expect(await publishWithRetry(publish, () => 0)).toBe('confirmed');
  });

  it('asks for the remaining time after each refusal, and not before the first', async () => {
    const { publish, askedAtMs } = publisherOf('refused');
    const askedAfter: number[] = [];
    const remainingMs = () => {
      askedAfter.push(askedAtMs.length);
      return 3 - askedAfter.length;
    };
    expect(await publishWithRetry(publish, remainingMs)).toBe('refused');
    expect(askedAfter).toEqual([1, 2, 3]);
    expect(askedAtMs).toHaveLength(3);
  });

  it('pauses longer each time, but not at once as long as ever', async () => {
    const { publish, askedAtMs } = publisherOf('refused', 'refused', 'refused', 'confirmed');
    await publishWithRetry(publish, forEver);
    const pausesMs = askedAtMs.slice(1).map((atMs, index) => atMs - Number(askedAtMs[index]));
    // A timer may fire a millisecond early.
    expect(pausesMs.map((pauseMs, index) => pauseMs >= 25 * 2 ** index - 2)).toEqual([true, true, true]);
    expect(pausesMs.reduce((sum, pauseMs) => sum + pauseMs, 0)).toBeLessThan(1_500);
  });

  it('never pauses beyond what remains', async () => {
    const { publish, askedAtMs } = publisherOf(
      'refused',
      'refused',
      'refused',
      'refused',
      'refused',
      'confirmed',
    );
    const startedMs = performance.now();
    await publishWithRetry(publish, () => 1);
    expect(askedAtMs).toHaveLength(6);
    expect(performance.now() - startedMs).toBeLessThan(25 + 50 + 100 + 200 + 400);
  });

  it('fails as publishing fails', async () => {
    const lost = new Error('lost');
    await expect(publishWithRetry(() => Promise.reject(lost), forEver)).rejects.toBe(lost);
  });
});
