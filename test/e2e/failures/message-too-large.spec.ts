import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { type Broker, startBroker } from '../../../scripts/broker/start-broker.ts';
import { healthy, playerOf } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';

const MAX_MESSAGE_BYTES = 20_000;
const RAKE = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00', perPage: 1_000 };

/** RabbitMQ 4 takes 16 MiB by default, as much as a page of the platform may have. */
describe('a page that is too large for the broker', () => {
  let broker: Broker;
  let service: ServiceUnderTest;

  beforeAll(async () => {
    broker = await startBroker({ settings: [`{max_message_size, ${MAX_MESSAGE_BYTES}}`] });
    service = await ServiceUnderTest.start({ behaviour: healthy(1_000), url: broker.url });
  });
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]();
    await broker?.stop();
  });

  it('fails its report, which is answered, and costs nobody else the connection', async () => {
    const worker = await service.worker();
    const reports = Array.from({ length: 5 }, () => service.caller.sendForOne('report.rake.fetch', RAKE));
    const sessions = Array.from({ length: 50 }, (_, index) =>
      service.caller.sendForOne('session.create', { userId: `p-${index}` }),
    );
    for (const { type, body } of await Promise.all(reports))
      expect([type, body['code']]).toEqual(['command.failed', 'INTERNAL_ERROR']);
    for (const { type } of await Promise.all(sessions)) expect(type).toBe('session.created');
    expect(service.platform.requests.filter((request) => playerOf(request) === undefined)).toHaveLength(5);
    expect(worker.log.filter(({ msg }) => msg === 'the broker is not available')).toEqual([]);
    await until('it is logged', () =>
      JSON.stringify(worker.log).includes(
        `the broker takes ${MAX_MESSAGE_BYTES} (its setting max_message_size)`,
      ),
    );
  });
});
