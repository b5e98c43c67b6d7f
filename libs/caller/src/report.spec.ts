import { describe, expect, it } from '@jest/globals';
import type { ConsumeMessage } from 'amqplib';

import type { Call } from './call.ts';
import { failure, message } from './message.fixture.ts';
import { type AdHocRecord, formatAmount, readPage, readRecord } from './record.ts';
import { PageStream } from './report.ts';

/** A call that never resends its command. */
const ONCE: Pick<Call, 'next'> = {
  next: async (arrived, read) => read(await arrived.next(new AbortController().signal)),
};
const page = (sequence: number, totalCount = 3, readAt = '2026-03-02T00:25:00.000Z') =>
  message('report.page', { page: sequence + 1, totalCount, readAt, records: [] }, { sequence });
const TIMES = { readFrom: '2026-03-02T00:31:00.000Z', readTo: '2026-03-02T00:32:00.000Z' };
const completed = (sequence: number, totalCount = 3) =>
  message('report.completed', { totalCount, ...TIMES, changedWhileReading: false }, { sequence });
const failed = (sequence: number) => message('command.failed', failure('OVERLOADED'), { sequence });

/** Returns a stream that has received these messages. */
function streamOf(...messages: readonly ConsumeMessage[]) {
  const stream = new PageStream();
  const given: number[] = [];
  const acknowledged: string[] = [];
  for (const one of messages) {
    const acknowledge = () => void acknowledged.push(String(one.properties.messageId));
    void stream.push({ message: one, acknowledge });
  }
  const run = async () => {
    const pages = stream.read(ONCE);
    let next = await pages.next();
    for (; !next.done; next = await pages.next()) given.push(next.value.page);
    return next.value;
  };
  return { stream, given, acknowledged, run };
}

describe('PageStream', () => {
  it('returns each page once, and acknowledges it when the next page is requested', async () => {
    const { stream, given, acknowledged, run } = streamOf(page(0), page(0), page(1), page(0), completed(2));
    const { value } = await stream.read(ONCE).next();
    expect([value, acknowledged]).toEqual([expect.objectContaining({ page: 1 }), []]);
    await run();
    expect([given, acknowledged]).toEqual([[2], ['c-1:0', 'c-1:1', 'c-1:0', 'c-1:2']]);
  });

  it.each([
    ['nothing', [page(0), page(1), completed(2)], false],
    ['a page', [page(0, 4), page(1, 4), completed(2, 4)], true],
    ['the end', [page(0), completed(1, 4)], true],
  ])('continues after the last page if a report is sent again (changed: %s)', async (_, again, changed) => {
    const { given, run } = streamOf(page(0), failed(1), ...again);
    await expect(run()).rejects.toMatchObject({ code: 'OVERLOADED' });
    expect(await run()).toMatchObject({ changedWhileReading: changed });
    expect(given).toEqual(again.length === 3 ? [1, 2] : [1]);
  });

  it('returns the read times of the first run in the summary if the report is sent again', async () => {
    expect(await streamOf(completed(0)).run()).toMatchObject({ ...TIMES, spansIntervals: false });
    const again = [0, 1].map((sequence) => page(sequence, 3, TIMES.readFrom));
    const { run } = streamOf(page(0), failed(1), ...again, completed(2));
    await expect(run()).rejects.toThrow();
    const readFrom = '2026-03-02T00:25:00.000Z';
    expect(await run()).toMatchObject({ ...TIMES, readFrom, spansIntervals: true });
  });

  it.each([
    ['page', page(2)],
    ['end', completed(2)],
  ])('fails instead of skipping a page that is missing before a %s', async (_, late) => {
    const { given, acknowledged, run } = streamOf(page(0), late);
    await expect(run()).rejects.toMatchObject({ code: 'REPLY_LOST', retryable: true, commandId: 'c-1' });
    expect([given, acknowledged]).toEqual([[1], ['c-1:0', 'c-1:2']]);
  });
});

describe('readPage', () => {
  it('returns a page that JSON.stringify writes even if one of its own members is a bigint', () => {
    const read = readPage({ records: [{ win: 5 }], precisions: 9_007_199_254_740_993n } as never);
    expect(JSON.stringify(read)).toBe('{"records":[{"win":5}],"precisions":"9007199254740993"}');
  });
});

describe('readRecord', () => {
  it('reads amounts as bigint, and nothing else', () => {
    const record = { id: 'p-1', moneyType: 1, win: 5, loss: -0, rake: 12_345_678_901_234_567_890n, level: 3 };
    const read = readRecord<AdHocRecord>(record);
    expect(read).toEqual({ ...record, win: 5n, loss: 0n });
    expect(JSON.parse(JSON.stringify(read))).toEqual({ ...record, loss: 0, rake: '12345678901234567890' });
  });

  it.each([1.5, '7', null])('leaves %s from a lenient worker unchanged', (value) => {
    expect(readRecord({ id: 'p-1', value })).toEqual({ id: 'p-1', value });
  });
});

describe('formatAmount', () => {
  it.each([
    [28_831n, 2, '288.31'],
    [28_831n, 4, '2.8831'],
    [28_831n, 0, '28831'],
    [0n, 2, '0.00'],
    [-5n, 2, '-0.05'],
    [123_456_789_012_345_678_901n, 8, '1234567890123.45678901'],
  ])('writes %s with %s decimals as %s', (amount, precision, text) => {
    expect(formatAmount(amount, precision)).toBe(text);
  });

  it.each([null, undefined, -1, 1.5])('rejects a precision of %s', (precision) => {
    expect(() => formatAmount(1n, precision)).toThrow(RangeError);
  });
});
