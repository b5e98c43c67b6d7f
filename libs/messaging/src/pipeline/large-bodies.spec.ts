import { setImmediate as turn } from 'node:timers/promises';

import { expect, it } from '@jest/globals';

import { LargeBodies } from './large-bodies.ts';
import { SpecPipeline } from './pipeline.fixture.ts';

it('LargeBodies reads a few bodies in each turn of the event loop, callers in rotation', async () => {
  const bodies = new LargeBodies();
  const read: string[] = [];
  const work = (name: string) => async () => {
    // Takes longer than a slice.
    for (const endMs = performance.now() + 2; performance.now() < endMs;);
    read.push(name);
  };
  const done = ['a', 'a', 'a', 'b', 'c', 'c'].map((name) => bodies.read(name, work(name)));
  const counts: number[] = [];
  for (let before = 0; read.length < 6; before = read.length) {
    await turn();
    counts.push(read.length - before);
  }
  await Promise.all(done);
  expect(read.join('')).toBe('abcaca');
  expect(Math.max(...counts)).toBe(1);
});

it('LargeBodies rejects with the error of the read', async () => {
  const failing = () => Promise.reject(new Error('a part has failed'));
  await expect(new LargeBodies().read('a', failing)).rejects.toThrow('a part has failed');
});

const large = (text: string, type = 'game.open') => ({
  properties: { type },
  body: Buffer.from(text.padEnd(5_000)),
});

it.each([
  ['the same data', '{"player":{"nick":"n","id":"p"}}', 'session.created'],
  ['other data', '{"player":{"id":"q","nick":"n"}}', 'IDEMPOTENCY_CONFLICT'],
])('a repeat of a large body with %s is known, though none was kept parsed', async (_, again, answer) => {
  const spec = new SpecPipeline();
  await spec.process(large('{"player":{"id":"p","nick":"n"}}'));
  await turn();
  const { published } = await spec.process(large(again));
  expect(published.find(([to]) => to === 'lobby')).toEqual(['lobby', answer]);
});
