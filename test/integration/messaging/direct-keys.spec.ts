import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { DirectKeys, KeyProbe } from '../../../libs/messaging/src/rabbitmq/release-3.10/index.ts';
import { openConnection, type TestConnection, testBrokerUrl } from '../../support/broker.ts';
import { until } from '../../support/until.ts';

const MADE_UP = Array.from({ length: 400 }, (_, index) => `amq.rabbitmq.reply-to.QUFB.${index}`);
/** One is asked about, and eight wait. */
const MOST_OF_A_CALLER = 9;

let client: TestConnection;
let probe: KeyProbe;
let asked: string[];
let keys: DirectKeys;

beforeEach(async () => {
  client = await openConnection();
  probe = new KeyProbe([testBrokerUrl()], 'test of direct keys');
  asked = [];
  const isReadable = (key: string): Promise<boolean | undefined> => {
    asked.push(key);
    return probe.isReadable(key);
  };
  keys = new DirectKeys({ isReadable }, Date.now);
});
afterEach(async () => {
  await probe.close();
  await client[Symbol.asyncDispose]();
});

/** The key of a client that waits for replies. */
async function genuineKey(): Promise<string> {
  const { channel } = client;
  const { queue } = await channel.assertQueue('', { exclusive: true });
  await channel.consume('amq.rabbitmq.reply-to', () => undefined, { noAck: true });
  channel.sendToQueue(queue, Buffer.alloc(0), { replyTo: 'amq.rabbitmq.reply-to' });
  const message = await until('the key is known', () => channel.get(queue, { noAck: true }));
  return String(message.properties.replyTo);
}

it('the broker is asked about the key of a caller next, whatever another one makes up', async () => {
  const genuine = await genuineKey();
  const answers = MADE_UP.map((key) => keys.isReadable(key, 'loud'));
  expect(await keys.isReadable(genuine, 'shop')).toBe(true);
  expect(asked.slice(0, 2)).toEqual([MADE_UP[0], genuine]);

  // What is beyond the limit is not asked about at all.
  await Promise.all(answers.map(async (answer) => answer));
  expect(asked).toEqual([MADE_UP[0], genuine, ...MADE_UP.slice(1, MOST_OF_A_CALLER)]);
});
