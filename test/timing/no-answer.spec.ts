import { expect, it } from '@jest/globals';

import { runCli } from '../e2e/cli/run-cli.ts';
import { openConnection, testBrokerUrl, uniquePrefix } from '../support/broker.ts';

const DEADLINE_MS = 200;
/** For starting Node.js, and waiting for an answer in flight. */
const BESIDE_MS = 4_000;

it('poker-bridge send ends soon after its deadline if nobody answers', async () => {
  const prefix = uniquePrefix();
  await using broker = await openConnection();
  const { queue } = await broker.channel.assertQueue(`${prefix}.interactive`, { exclusive: true });
  await broker.channel.assertExchange(`${prefix}.commands`, 'direct', { autoDelete: true });
  await broker.channel.bindQueue(queue, `${prefix}.commands`, 'session.create');
  const args = ['send', 'session.create', '--data', '{"userId":"u-1"}', '--deadline-ms', String(DEADLINE_MS)];
  const startedAtMs = performance.now();
  const { code } = await runCli(args, { variables: { AMQP_URL: testBrokerUrl(), AMQP_PREFIX: prefix } });
  expect(code).toBe(3);
  expect(performance.now() - startedAtMs).toBeLessThan(DEADLINE_MS + BESIDE_MS);
});
