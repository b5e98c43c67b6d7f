import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect, it } from '@jest/globals';

import { percentile } from '../../../lab/bench/measure.ts';
import { BusCaller } from '../../support/bus-caller.ts';
import { interactiveLoad } from '../../support/interactive-load.ts';
import { DAY, healthy, playerOf, silent } from '../../support/platform-answers.ts';
import { answerJson, sessionDocument } from '../../support/platform-stub.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

const PLATFORM_MS = 20;
const PER_SECOND = 40;
const PHASE_MS = 5_000;
const MOST_MIB = 400;
const COMMANDS = 2_500;
const COMMAND_BYTES = 65_000;
/** A fourth delivery would go into quarantine. */
const LOSSES = 2;
/** In an earlier version, three of these answers a second made players wait for nine seconds. */
const ANSWERS_PER_SECOND = 10;
/**
 * For players behind a flood of commands in the same queue. In an earlier version, it was 28 s; on an idle
 * machine, it is now 50 ms.
 */
const MOST_MEDIAN_MS = 5_000;

/** Returns JSON with this many empty objects, which use the most memory for their size. */
const values = (count: number): string => `[${Array.from({ length: count }, () => '{}').join()}]`;
const padded = (text: string): Buffer => Buffer.from(text.padEnd(COMMAND_BYTES));
const launchOptions = `{"player":{"id":"p"},"session":{"launchOptions":{"a":${values(2_700)}}}}`;

/** Publishes commands of one type to a queue, by the default exchange. */
async function fill(
  { channel, replyQueue }: BusCaller,
  queue: string,
  type: string,
  content: Buffer,
): Promise<void> {
  for (let n = 0; n < COMMANDS; n += 1) {
    const options = { type, messageId: randomUUID(), userId: 'guest', replyTo: replyQueue };
    if (!channel.publish('', queue, content, options)) await once(channel, 'drain');
  }
}

const players = (service: ServiceUnderTest) =>
  interactiveLoad((n) => service.caller.send('session.create', { userId: `p-${n}` }), PER_SECOND, PHASE_MS);

it.each([
  ['that are refused', 'session.create', padded(`{"userId":"u","x":${values(21_650)}}`), 'VALIDATION_FAILED'],
  ['that are valid and wait for the platform', 'game.open', padded(launchOptions), undefined],
])(`2,500 commands of 64 KB %s leave memory and players as they are`, async (_, type, content, code) => {
  await using service = await ServiceUnderTest.start({
    behaviour: async (...call) => {
      // The reference: no other operator makes calls.
      const isGame = call[0].url.pathname.endsWith('/open-game');
      await sleep(isGame ? 10 * PHASE_MS : PLATFORM_MS, undefined, { ref: false });
      await healthy()(...call);
    },
    variables: { EVENTS: 'none', SHUTDOWN_GRACE_MS: '0' },
  });
  // The worker bypasses the proxy, which would share this process with the commands.
  await service.worker({ AMQP_URL: service.url });
  await using flood = await BusCaller.open(service.url, service.prefix);
  await players(service);
  const sent = fill(flood, service.name('interactive'), type, content);
  if (code === undefined) await sleep(PHASE_MS);
  else {
    const { latenciesMs, failures } = await players(service);
    expect(failures).toEqual([]);
    expect(percentile(latenciesMs, 0.5)).toBeLessThan(MOST_MEDIAN_MS);
  }
  await sent;
  // The worker may refuse waiting commands as surplus.
  const codes = new Set(flood.received.map(({ body }) => body['code']));
  if (code === undefined) codes.delete('OVERLOADED');
  expect(codes).toEqual(new Set(code ? [code] : []));
  expect(service.peakMib()).toBeLessThan(MOST_MIB);
});

it('commands of 64 KB in all lanes and in quarantine leave memory as it is', async () => {
  await using service = await ServiceUnderTest.start({
    behaviour: silent,
    variables: { EVENTS: 'none', SHUTDOWN_GRACE_MS: '0' },
  });
  await service.worker({ AMQP_URL: service.url });
  await service.stop();
  const { caller } = service;
  const report = padded(JSON.stringify(DAY));
  await fill(caller, service.name('reports'), 'report.ad-hoc.fetch', report);
  for (const lane of ['interactive', 'quarantine'])
    await fill(caller, service.name(lane), 'game.open', padded(launchOptions));
  await service.worker({ AMQP_URL: service.url });
  for (const lane of ['interactive', 'quarantine', 'reports'])
    await until(`${lane} is delivered`, async () => (await service.depth(lane)) < COMMANDS);
  await sleep(2 * PHASE_MS);
  expect(service.peakMib()).toBeLessThan(MOST_MIB);
});

it('commands of 64 KB that wait for the platform leave memory as it is when their connections are lost', async () => {
  await using service = await ServiceUnderTest.start({
    behaviour: silent,
    variables: { EVENTS: 'none', SHUTDOWN_GRACE_MS: '0' },
  });
  await service.worker();
  await service.stop();
  await fill(service.caller, service.name('interactive'), 'game.open', padded(launchOptions));
  const worker = await service.worker();
  for (let losses = 0; losses < LOSSES; losses += 1) {
    const before = service.proxy.accepted;
    // A new process takes few commands for two seconds.
    await sleep(2_500);
    service.proxy.cut();
    await until('it reconnects', () => service.proxy.accepted > before);
    await worker.ready();
  }
  await sleep(PHASE_MS);
  expect(service.peakMib()).toBeLessThan(MOST_MIB);
});

it("answers of one operator with the maximum of values do not affect other operators' players", async () => {
  using folder = temporaryFolder();
  const operators = { heavy: { clientId: 'heavy', secretKey: 'heavy-secret' } };
  await using service = await ServiceUnderTest.start({
    behaviour: async (...call) => {
      const [request, response] = call;
      await sleep(PLATFORM_MS);
      if (request.url.searchParams.get('clientId') !== 'heavy') return healthy()(...call);
      const document = {
        ...sessionDocument(playerOf(request) ?? ''),
        more: Array.from({ length: 21_000 }, () => ({})),
        long: 1e30,
      };
      answerJson(response, 200, document);
    },
    variables: { OPERATORS_FILE: folder.write('operators.json', JSON.stringify(operators)) },
    workers: 1,
  });
  const heavy = (n: number) =>
    service.caller.send('session.create', { userId: `h-${n}` }, { headers: { operator: 'heavy' } });
  await players(service);
  const rounds: number[] = [];
  // On a busy machine, a p99 also depends on other processes.
  while (rounds.length < 5 && !rounds.some((ratio) => ratio <= 2)) {
    const alone = await players(service);
    const [beside, answers] = await Promise.all([
      players(service),
      interactiveLoad(heavy, ANSWERS_PER_SECOND, PHASE_MS),
    ]);
    expect([...beside.failures, ...answers.failures]).toEqual([]);
    rounds.push(percentile(beside.latenciesMs, 0.99) / percentile(alone.latenciesMs, 0.99));
  }
  expect(Math.min(...rounds)).toBeLessThanOrEqual(2);
  expect(service.peakMib()).toBeLessThan(MOST_MIB);
});
