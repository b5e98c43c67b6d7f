import { randomUUID } from 'node:crypto';

import { afterEach, describe, expect, it } from '@jest/globals';

import type { ReceivedReply } from '../../support/bus-caller.ts';
import { expectedProperties } from './expected-properties.ts';
import { sandboxedForAll } from './sandboxed-service.ts';

const AD_HOC = 'report.ad-hoc.fetch';
const RAKE = 'report.rake.fetch';
const DAY = { dateFrom: '2026-01-02 00:00:00', dateTo: '2026-01-03 00:00:00' };
const AMOUNTS =
  'win loss deposit withdraw bets rake jackpot tournamentFee tournamentBet tournamentPrize cashResult tournamentResult ticketFee ticketBet slotCredit slotDebit rakeback rakebackPaid rakebackUnpaid rabbitHunting'.split(
    ' ',
  );
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** The factor of the sandbox's fault `huge-amounts`: 2^53 + 1. */
const HUGE_FACTOR = 9_007_199_254_740_993n;

describe('reports', () => {
  const sandboxed = sandboxedForAll({
    sandbox: { SANDBOX_REPORT_RECORDS: '25' },
    worker: { REPORTS_PER_PAGE: '10' },
  });
  afterEach(() => sandboxed.platform.clearFaults());

  const fetchReport = (type: string, body: object, options: object = {}): Promise<ReceivedReply[]> =>
    sandboxed.caller.send(type, body, options);
  const recordsOf = (replies: readonly ReceivedReply[]) =>
    pagesOf(replies).flatMap(({ body }) => body['records'] as Record<string, unknown>[]);

  it.each([
    ['ad-hoc', AD_HOC, 25, [10, 10, 5]],
    ['rake', RAKE, 13, [10, 3]],
  ])('arrive page by page, in sequence, with a completion: %s', async (report, type, totalCount, sizes) => {
    const [messageId, correlationId] = [randomUUID(), randomUUID()];
    const replies = await fetchReport(type, DAY, { messageId, correlationId });
    const command = { id: messageId, commandType: type, correlationId };
    const last = sizes.length;

    expect(replies.map(({ properties }) => properties)).toEqual([
      ...sizes.map((_, sequence) =>
        expectedProperties({ ...command, type: 'report.page', sequence, final: false }),
      ),
      expectedProperties({ ...command, type: 'report.completed', sequence: last }),
    ]);
    expect(pagesOf(replies).map(({ body }) => ({ ...body, records: lengthOf(body['records']) }))).toEqual(
      sizes.map((size, index) => ({
        report,
        page: index + 1,
        pageCount: sizes.length,
        perPage: 10,
        totalCount,
        precisions: expect.any(Object),
        readAt: expect.stringMatching(TIME),
        records: size,
      })),
    );
    expect(replies[last]?.body).toEqual({
      report,
      pages: sizes.length,
      records: totalCount,
      totalCount,
      ...whole(replies),
    });
    const ids = recordsOf(replies).map(({ id }) => id);
    expect(new Set(ids).size).toBe(totalCount);
  });

  it("hold the platform's attributes in camelCase, and the id", async () => {
    const records = recordsOf(await fetchReport(AD_HOC, DAY));
    for (const record of records) {
      expect(Object.keys(record).toSorted()).toEqual(
        ['id', 'userId', 'date', 'moneyType', 'currency', ...AMOUNTS].toSorted(),
      );
    }
    expect(records[0]).toMatchObject({
      id: 'player-00000001-1-2026-01-02',
      userId: 'player-00000001',
      date: '2026-01-02',
      moneyType: 1,
      currency: 'EUR',
    });
    const [rake] = recordsOf(await fetchReport(RAKE, DAY));
    expect(rake).toEqual({
      id: 'player-00000001-EUR',
      userId: 'player-00000001',
      currency: 'EUR',
      value: expect.any(Number),
    });
  });

  it.each([
    [AD_HOC, AMOUNTS],
    [RAKE, ['value']],
  ])('keep amounts beyond 2^53 digit for digit: %s', async (type, names) => {
    const plain = amountsOf(await fetchReport(type, DAY), names);
    await sandboxed.platform.fault({ kind: 'huge-amounts' });
    const huge = amountsOf(await fetchReport(type, DAY), names);

    expect(plain.length).toBeGreaterThan(10);
    expect(huge).toEqual(plain.map((amount) => amount * HUGE_FACTOR));
    expect(huge.some((amount) => amount > 2n ** 64n)).toBe(true);
    expect(plain.some((amount) => amount < 0n)).toBe(type === AD_HOC);
  });

  it.each([
    ['a player without rake', RAKE, { userId: 'nobody' }, 'rake', 0],
    ['a page beyond the last', AD_HOC, { page: 9 }, 'ad-hoc', 25],
  ])('are the completion only, for %s', async (_, type, data, report, totalCount) => {
    const replies = await fetchReport(type, { ...DAY, ...data });
    const { readFrom, readTo } = replies[0]?.body ?? {};
    expect(readFrom).toMatch(TIME);
    expect(replies.map(({ body }) => body)).toEqual([
      { report, pages: 0, records: 0, totalCount, ...whole(replies), readFrom, readTo: readFrom },
    ]);
    expect(readTo).toBe(readFrom);
    expect(replies[0]?.properties).toMatchObject({
      type: 'report.completed',
      headers: { sequence: 0, final: true },
    });
  });

  it('run concurrently under one message id, and never conflict', async () => {
    const messageId = randomUUID();
    const [adHoc, rake] = await Promise.all([
      fetchReport(AD_HOC, DAY, { messageId }),
      fetchReport(RAKE, { ...DAY, page: 1 }, { messageId }),
    ]);
    expect([adHoc.at(-1)?.body['report'], rake.at(-1)?.body['report']]).toEqual(['ad-hoc', 'rake']);
  });
});

function pagesOf(replies: readonly ReceivedReply[]): ReceivedReply[] {
  return replies.filter(({ type }) => type === 'report.page');
}

/** The completion of a report without anomalies. */
function whole(replies: readonly ReceivedReply[]): object {
  const times = pagesOf(replies).map(({ body }) => String(body['readAt']));
  // Pages that are fetched ahead may be answered in any order.
  const [readFrom, readTo] = [times.toSorted()[0], times.toSorted().at(-1)];
  const spansIntervals = readFrom?.slice(0, 15) !== readTo?.slice(0, 15);
  return {
    changedWhileReading: false,
    repeated: 0,
    changed: 0,
    missing: 0,
    readFrom,
    readTo,
    spansIntervals,
    faults: 0,
  };
}

function amountsOf(replies: readonly ReceivedReply[], names: readonly string[]): bigint[] {
  const written = new RegExp(`"(?:${names.join('|')})":(-?\\d+)(?=[,}])`, 'g');
  return pagesOf(replies).flatMap(({ text }) =>
    [...text.matchAll(written)].map(([, digits]) => BigInt(String(digits))),
  );
}

function lengthOf(records: unknown): number {
  return (records as unknown[]).length;
}
