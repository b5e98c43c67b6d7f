import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { healthy, silent, unavailable } from '../../support/platform-answers.ts';
import type { PlatformBehaviour } from '../../support/platform-stub.ts';
import { PrivateRedis } from '../../support/private-redis.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';

const PERIOD = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };
/** Source: bus contract, section 5, "Apart". */
const LONGER_MS = 5_000;
/** As in production: the other timeouts of these tests are longer than any test. */
const ATTEMPT_TIMEOUT_MS = '5000';
/** The platforms of the operators that are not well. */
const SICK: Readonly<Record<string, PlatformBehaviour>> = { down: unavailable, silent };

/** A report of a hundred pages, each of which takes half a second. */
const longReport: PlatformBehaviour = async (...call) => {
  await sleep(500);
  await healthy(100)(...call);
};

describe.each([
  [1, 'without Redis'],
  [2, 'without Redis'],
  [2, 'with Redis'],
] as const)('beside reports that wait, with %i workers %s', (count, memory) => {
  const folder = mkdtempSync(join(tmpdir(), 'reports-apart-'));
  let redis: PrivateRedis | undefined;
  let service: ServiceUnderTest;
  let aloneMs: number;
  /** What the platform of the operator that is well does with ad-hoc reports. */
  let adHoc: PlatformBehaviour | undefined;

  beforeAll(async () => {
    if (memory === 'with Redis') redis = await PrivateRedis.start();
    service = await ServiceUnderTest.start({
      behaviour: (request, ...rest) => {
        const [, operator = ''] = request.url.pathname.split('/');
        const behaviour = request.url.pathname.endsWith('/rake') ? healthy(1) : (adHoc ?? healthy(1));
        void (SICK[operator] ?? behaviour)(request, ...rest);
      },
      variables: {
        PLATFORM_ATTEMPT_TIMEOUT_MS: ATTEMPT_TIMEOUT_MS,
        ...(redis && { REDIS_URL: redis.url }),
      },
    });
    const file = join(folder, 'operators.json');
    const operators = Object.keys(SICK).map((name) => {
      const baseUrl = `${service.platform.origin}/${name}/api/web`;
      return [name, { baseUrl, clientId: name, secretKey: `secret of ${name}` }];
    });
    writeFileSync(file, JSON.stringify(Object.fromEntries(operators)));
    for (let n = 0; n < count; n += 1) await service.worker({ OPERATORS_FILE: file });
    await report();
    aloneMs = await report();
  });
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]();
    await redis?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  /** How long a report of an operator that is well takes. */
  const report = async (): Promise<number> => {
    const startedMs = performance.now();
    const replies = await service.caller.send('report.rake.fetch', PERIOD);
    expect(replies.map(({ type }) => type)).toEqual(['report.page', 'report.completed']);
    return performance.now() - startedMs;
  };
  const publish = (
    reports: number,
    options: Parameters<ServiceUnderTest['caller']['publish']>[2],
    type = 'report.rake.fetch',
    data: object = PERIOD,
  ) => {
    for (let n = 0; n < reports; n += 1) service.caller.publish(type, data, options);
  };

  it.each([
    ['full', { 'x-max-length': 1, 'x-overflow': 'reject-publish' }],
    ['gone', undefined],
  ])('a report waits at most five seconds longer if forty are for a queue that is %s', async (_, args) => {
    const { channel } = service.caller;
    let replyTo = 'nobody-has-this-queue';
    if (args) {
      replyTo = (await channel.assertQueue('', { exclusive: true, arguments: args })).queue;
      channel.sendToQueue(replyTo, Buffer.from('in the way'));
    }
    publish(40, { replyTo });
    expect(await report()).toBeLessThan(aloneMs + LONGER_MS);
  });

  it.each(Object.keys(SICK))(
    'a report waits at most five seconds longer if sixty are of an operator that is %s',
    async (operator) => {
      publish(60, { headers: { operator }, replyTo: service.caller.replyQueue });
      expect(await report()).toBeLessThan(aloneMs + LONGER_MS);
    },
  );

  it.each([
    ['long', longReport],
    ['silent', silent],
    ['down', unavailable],
  ])(
    'a report waits at most five seconds longer if sixty of the same operator are of an operation that is %s',
    async (_, behaviour) => {
      adHoc = behaviour;
      const { replyQueue } = service.caller;
      publish(60, { replyTo: replyQueue }, 'report.ad-hoc.fetch', { ...PERIOD, perPage: 1 });
      expect(await report()).toBeLessThan(aloneMs + LONGER_MS);
    },
  );
});
