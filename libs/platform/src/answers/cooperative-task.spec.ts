import { setImmediate as turn } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import { CooperativeTask, oneAtATime } from './cooperative-task.ts';

describe('CooperativeTask', () => {
  /** Keeps the CPU busy for longer than a slice. */
  function busy(): void {
    for (const endMs = performance.now() + 2; performance.now() < endMs;);
  }

  it('runs one slice per turn and alternates between tasks', async () => {
    const steps: string[] = [];
    const work = async (name: string): Promise<void> => {
      const task = new CooperativeTask();
      for (let step = 0; step < 3; step += 1) {
        await task.yieldIfDue();
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

  it('runs large tasks sequentially, even after a failure', async () => {
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
