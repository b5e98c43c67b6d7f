import { describe, expect, it } from '@jest/globals';

import { DirectKeys } from './direct-keys.ts';

const MINUTE_MS = 60_000;
const SHOP = 'shop';
const OTHER = 'other';
/** One is asked about, and eight wait. */
const MOST_OF_A_CALLER = 9;
const key = (rest: string) => `amq.rabbitmq.reply-to.${rest}`;

/** As a node makes it, for a channel with this number. */
function madeBy(node: string, channel: number): string {
  const process = Buffer.alloc(5 + node.length + 12, channel);
  Buffer.from([131, 88, 118, 0, node.length]).copy(process);
  process.write(node, 5);
  return key(`${process.toString('base64')}.${Buffer.alloc(16, channel).toString('base64')}`);
}

function keysWith(answer: (asked: string) => boolean | undefined) {
  const asked: string[] = [];
  const clock = { nowMs: 0 };
  const isReadable = (one: string) => {
    asked.push(one);
    return Promise.resolve(answer(one));
  };
  return { asked, clock, keys: new DirectKeys({ isReadable }, () => clock.nowMs) };
}

describe('DirectKeys', () => {
  it('asks once for all keys of a node, and again after a minute', async () => {
    const { asked, clock, keys } = keysWith(() => true);
    expect(await keys.isReadable(madeBy('reply@1', 1), SHOP)).toBe(true);
    expect(keys.isReadable(madeBy('reply@1', 2), SHOP)).toBe(true);
    expect(await keys.isReadable(madeBy('reply@2', 1), SHOP)).toBe(true);
    clock.nowMs = MINUTE_MS;
    await keys.isReadable(madeBy('reply@1', 3), SHOP);
    expect(asked).toEqual([madeBy('reply@1', 1), madeBy('reply@2', 1), madeBy('reply@1', 3)]);
  });

  it.each([
    ['that is no base64', key('%%%.AAAA')],
    ['that is no process', key('QUFB.AAAA')],
    ['without a secret', madeBy('reply@1', 1).replace(/\.[^.]*$/, '')],
    ['with two', `${madeBy('reply@1', 1)}.AAAA`],
    ['that is cut', `${madeBy('reply@1', 1).slice(0, -30)}.AAAA`],
    ['of another process', madeBy('reply@1', 1).replace('to.g1h2', 'to.g1h3')],
    ['with an odd letter', madeBy('reply@1', 1).replace('.g1h2', '.g1h2%')],
    ['that is empty', key('')],
  ])('asks of itself for a key %s, although those of the node are known', async (_, odd) => {
    const { asked, keys } = keysWith((one) => one !== odd);
    await keys.isReadable(madeBy('reply@1', 1), SHOP);
    expect(await keys.isReadable(odd, SHOP)).toBe(false);
    expect(keys.isReadable(odd, SHOP)).toBe(false);
    expect(keys.isReadable(madeBy('reply@1', 2), SHOP)).toBe(true);
    expect(asked).toEqual([madeBy('reply@1', 1), odd]);
  });

  it('asks once for all replies that wait for the answer', async () => {
    const { asked, keys } = keysWith(() => true);
    const answers = [1, 2, 3].map(async (channel) => keys.isReadable(madeBy('reply@1', channel), SHOP));
    expect(await Promise.all(answers)).toEqual([true, true, true]);
    expect(asked).toHaveLength(1);
  });

  it('takes a key for readable, and remembers nothing, if the broker cannot be asked', async () => {
    const { asked, keys } = keysWith(() => undefined);
    expect(await keys.isReadable(key('x'), SHOP)).toBe(true);
    expect(await keys.isReadable(key('x'), SHOP)).toBe(true);
    expect(asked).toHaveLength(2);
  });

  it('asks about few keys of one caller at a time, and about that of another next', async () => {
    const { asked, keys } = keysWith((one) => !one.includes('made-up'));
    const madeUp = Array.from({ length: 400 }, (_, index) => key(`made-up-${index}`));
    const answers = madeUp.map((one) => keys.isReadable(one, SHOP));
    expect(answers.filter((answer) => answer === false)).toHaveLength(400 - MOST_OF_A_CALLER);
    expect(await keys.isReadable(madeBy('reply@1', 1), OTHER)).toBe(true);
    expect(asked.slice(0, 2)).toEqual([madeUp[0], madeBy('reply@1', 1)]);
    expect(await Promise.all(answers.map(async (answer) => answer))).toEqual(madeUp.map(() => false));
    expect(asked).toHaveLength(MOST_OF_A_CALLER + 1);
  });

  it('keeps to the last answer about a node while too many keys of its caller wait', async () => {
    const { clock, keys } = keysWith((one) => !one.includes('made-up'));
    await keys.isReadable(madeBy('reply@1', 1), SHOP);
    clock.nowMs = MINUTE_MS;
    for (let index = 0; index < MOST_OF_A_CALLER; index += 1)
      void keys.isReadable(key(`made-up-${index}`), SHOP);
    expect(keys.isReadable(madeBy('reply@1', 2), SHOP)).toBe(true);
    expect(keys.isReadable(madeBy('reply@2', 1), SHOP)).toBe(false);
  });

  it('remembers a thousand kinds; the oldest goes first', async () => {
    const { asked, keys } = keysWith(() => false);
    for (let index = 0; index < 1_000; index += 1) await keys.isReadable(key(`${index}.`), SHOP);
    expect(keys.isReadable(key('0.'), SHOP)).toBe(false);
    await keys.isReadable(key('one more'), SHOP);
    expect(keys.isReadable(key('1.'), SHOP)).toBe(false);
    await keys.isReadable(key('0.'), SHOP);
    expect(asked).toHaveLength(1_002);
  });
});
