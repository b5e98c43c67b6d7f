import { once } from 'node:events';

import { describe, expect, it } from '@jest/globals';

import { CallLimit } from './call-limit.ts';

describe('CallLimit', () => {
  it('aborts a second and a half after the deadline, with a reason made then', async () => {
    const limit = new CallLimit(1, () => new Error('expired'), [undefined]);
    expect(limit.signal.aborted).toBe(false);
    const startedMs = performance.now();
    await once(limit.signal, 'abort');
    expect(performance.now() - startedMs).toBeGreaterThan(1_400);
    expect(limit.remainingMs).toBeLessThan(0);
    expect(limit.signal.reason).toEqual(new Error('expired'));
  });

  it.each(['before', 'after'])('aborts with an outer signal that aborts %s it begins', (moment) => {
    const outer = new AbortController();
    const reason = new Error('closed');
    if (moment === 'before') outer.abort(reason);
    const limit = new CallLimit(60_000, () => new Error('expired'), [undefined, outer.signal]);
    outer.abort(reason);
    expect(limit.signal.reason).toBe(reason);
    limit.end();
  });

  it('no longer listens once it has ended', () => {
    const outer = new AbortController();
    const limit = new CallLimit(60_000, () => new Error('expired'), [outer.signal]);
    limit.end();
    outer.abort();
    expect(limit.signal.aborted).toBe(false);
  });
});
