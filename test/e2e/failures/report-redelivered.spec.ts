import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { Gate, healthy } from '../../support/platform-answers.ts';
import type { PlatformRequest } from '../../support/platform-stub.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';

const REPORT = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00', perPage: 1 };
const RECORDS = 6;
/** The page that the platform has not answered when the connections go. */
const HELD_PAGE = 4;

describe('a report whose connections are cut', () => {
  let service: ServiceUnderTest;
  beforeAll(async () => {
    service = await ServiceUnderTest.start({ behaviour: healthy(RECORDS) });
    await service.worker();
  });
  afterAll(() => service?.[Symbol.asyncDispose]());

  it.each([
    ['its total still holds', RECORDS, false],
    ['its total has changed, which it says', RECORDS + 1, true],
  ])(
    'goes on after its last confirmed page, under the same ids, if %s',
    async (_, recordsLater, changedWhileReading) => {
      const { caller, platform, proxy } = service;
      const gate = new Gate();
      platform.requests.length = 0;
      platform.behaviour = (request, ...rest) => {
        const behaviour = pageOf(request) < HELD_PAGE ? healthy(RECORDS) : gate.behind(healthy(recordsLater));
        return behaviour(request, ...rest);
      };
      const id = randomUUID();
      const sent = caller.send('report.rake.fetch', REPORT, { messageId: id });
      const arrived = (): number =>
        caller.received.filter(({ messageId }) => messageId.startsWith(id)).length;
      await until('all pages before it have come', () => gate.held === 1 && arrived() === HELD_PAGE - 1);
      proxy.cut();
      await until('it is delivered again', () => gate.held === 2);
      gate.open();

      const replies = new Map((await sent).map((reply) => [reply.messageId, reply]));
      expect([...replies.keys()]).toEqual(
        Array.from({ length: recordsLater + 1 }, (_each, at) => `${id}:${at}`),
      );
      expect(replies.get(`${id}:${recordsLater}`)?.body).toMatchObject({
        pages: recordsLater,
        records: recordsLater,
        changedWhileReading,
      });
      expect(platform.requests.map(pageOf).filter((page) => page === 1)).toHaveLength(1);
    },
  );
});

function pageOf({ url }: PlatformRequest): number {
  return Number(url.searchParams.get('page'));
}
