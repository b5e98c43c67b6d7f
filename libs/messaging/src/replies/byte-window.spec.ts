import { setImmediate as turn } from 'node:timers/promises';

import { expect, it } from '@jest/globals';

import { ByteWindow } from './byte-window.ts';

const isWanted = (): boolean => true;

it('ByteWindow publishes as many messages at once as fit, in order, and a larger one alone', async () => {
  const window = new ByteWindow(10);
  const log: string[] = [];
  const finish: (() => void)[] = [];
  const all = [4, 6, 1, 20, 3].map((bytes) =>
    window.publish(bytes, isWanted, () => {
      log.push(String(bytes));
      return new Promise<void>((resolve) => finish.push(resolve));
    }),
  );
  const steps: string[] = [];
  while (finish.length > 0 || steps.length === 0) {
    await turn();
    steps.push(log.splice(0).join());
    finish.shift()?.();
    await turn();
  }
  await Promise.all(all);
  expect(steps.join(' ')).toBe('4,6 1  20 3');
});

it('ByteWindow passes on messages that are no longer wanted, without waiting for room', async () => {
  const window = new ByteWindow(10);
  let areWanted = true;
  const log: string[] = [];
  const publish = (name: string, wanted: () => boolean) =>
    void window.publish(10, wanted, () => {
      log.push(name);
      return new Promise<void>(() => undefined);
    });
  for (const name of ['a', 'b', 'c']) publish(name, () => areWanted);
  await turn();
  expect(log.splice(0)).toEqual(['a']);
  areWanted = false;
  publish('d', isWanted);
  await turn();
  expect(log).toEqual(['b', 'c']);
});
