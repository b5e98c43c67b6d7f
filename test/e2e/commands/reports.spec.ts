import { randomUUID } from 'node:crypto';

import { afterEach, describe, expect, it } from '@jest/globals';

import type { ReceivedReply } from '../../support/bus-caller.ts';
import { expectedProperties } from './expected-properties.ts';
import { sandboxedForAll } from './sandboxed-service.ts';

const AD_HOC = 'report.ad-hoc.fetch';
const RAKE = 'report.rake.fetch';
const DAY = { dateFrom: '2026-01-02 00:00:00', dateTo: '2026-01-03 00:00:00' };
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

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

function lengthOf(records: unknown): number {
  return (records as unknown[]).length;
}
