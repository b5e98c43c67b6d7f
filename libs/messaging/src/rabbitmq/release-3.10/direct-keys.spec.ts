import { describe, expect, it } from '@jest/globals';

import { DirectKeys } from './direct-keys.ts';

const MINUTE_MS = 60_000;
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
    expect(await keys.isReadable(madeBy('reply@1', 1))).toBe(true);
    expect(keys.isReadable(madeBy('reply@1', 2))).toBe(true);
    expect(await keys.isReadable(madeBy('reply@2', 1))).toBe(true);
    clock.nowMs = MINUTE_MS;
    await keys.isReadable(madeBy('reply@1', 3));
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
    await keys.isReadable(madeBy('reply@1', 1));
    expect(await keys.isReadable(odd)).toBe(false);
    expect(keys.isReadable(odd)).toBe(false);
    expect(keys.isReadable(madeBy('reply@1', 2))).toBe(true);
    expect(asked).toEqual([madeBy('reply@1', 1), odd]);
  });

  it('asks once for all replies that wait for the answer', async () => {
    const { asked, keys } = keysWith(() => true);
    const answers = [1, 2, 3].map(async (channel) => keys.isReadable(madeBy('reply@1', channel)));
    expect(await Promise.all(answers)).toEqual([true, true, true]);
    expect(asked).toHaveLength(1);
  });

  it('takes a key for readable, and remembers nothing, if the broker cannot be asked', async () => {
    const { asked, keys } = keysWith(() => undefined);
    expect(await keys.isReadable(key('x'))).toBe(true);
    expect(await keys.isReadable(key('x'))).toBe(true);
    expect(asked).toHaveLength(2);
  });

  it('remembers a thousand kinds; the oldest goes first', async () => {
    const { asked, keys } = keysWith(() => false);
    for (let index = 0; index < 1_000; index += 1) await keys.isReadable(key(`${index}.`));
    expect(keys.isReadable(key('0.'))).toBe(false);
    await keys.isReadable(key('one more'));
    expect(keys.isReadable(key('1.'))).toBe(false);
    await keys.isReadable(key('0.'));
    expect(asked).toHaveLength(1_002);
  });
});
