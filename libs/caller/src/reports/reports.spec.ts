import { describe, expect, it } from '@jest/globals';
import type { ConsumeMessage } from 'amqplib';

import { failure, message } from '../replies/message.fixture.ts';
import { PageStream } from './read-report.ts';
import { type AdHocRecord, formatAmount, readRecord, type ReportSummary } from './report.ts';

const never = new AbortController().signal;
const page = (sequence: number, totalCount = 3, readAt = '2026-03-02T00:25:00.000Z') =>
  message('report.page', { totalCount, readAt, records: [] }, { sequence });
const TIMES = { readFrom: '2026-03-02T00:31:00.000Z', readTo: '2026-03-02T00:32:00.000Z' };
const completed = (sequence: number, totalCount = 3) =>
  message('report.completed', { totalCount, ...TIMES }, { sequence });
const failed = (sequence: number) => message('command.failed', failure('OVERLOADED'), { sequence });

/** A stream that was given these messages, and those that were acknowledged without being asked for. */
function streamOf(...messages: ConsumeMessage[]) {
  const stream = new PageStream('c-1');
  const dropped: string[] = [];
  const push = (one: ConsumeMessage): void => {
    const acknowledge = () => void dropped.push(String(one.properties.messageId));
    void stream.push({ message: one, acknowledge });
  };
  messages.forEach(push);
  const next = async () => (await stream.next(never)).reply;
  const read = async (count: number) => {
    const sequences: string[] = [];
    for (let nth = 0; nth < count; nth += 1) {
      const { type, sequence } = await next();
      sequences.push(`${type} ${sequence}`);
    }
    return sequences;
  };
  const summary = () => stream.summaryOf({ ...TIMES, changedWhileReading: false } as ReportSummary);
  return { dropped, push, read, next, summary };
}

describe('PageStream', () => {
  it('gives the replies in sequence, and acknowledges none of them', async () => {
    const { read, dropped } = streamOf(page(0), page(1), completed(2));
    expect(await read(3)).toEqual(['report.page 0', 'report.page 1', 'report.completed 2']);
    expect(dropped).toEqual([]);
  });

  it('waits for those that have not come', async () => {
    const { read, push } = streamOf();
    const reading = read(2);
    await Promise.resolve();
    push(page(0));
    push(completed(1));
    expect(await reading).toEqual(['report.page 0', 'report.completed 1']);
  });

  it('drops what a redelivery repeats', async () => {
    const { read, dropped } = streamOf(page(0), page(0), page(1), page(0), completed(2));
    expect(await read(3)).toEqual(['report.page 0', 'report.page 1', 'report.completed 2']);
    expect(dropped).toEqual(['c-1:0', 'c-1:0']);
  });

  it('continues after the last page if the report is sent again', async () => {
    const { read, summary } = streamOf(page(0), failed(1), page(0), page(1), completed(2));
    expect(await read(4)).toEqual([
      'report.page 0',
      'command.failed 1',
      'report.page 1',
      'report.completed 2',
    ]);
    expect(summary().changedWhileReading).toBe(false);
  });

  it.each([
    ['page', [page(0), failed(1), page(0, 4), page(1, 4)], 3],
    ['end', [page(0), failed(1), page(0), completed(1, 4)], 3],
  ])('notices by a %s that the report has changed since it was sent first', async (_, messages, count) => {
    const { read, summary } = streamOf(...messages);
    await read(count);
    expect(summary().changedWhileReading).toBe(true);
  });

  it('says when the pages of the first run were read, if the report is sent again', async () => {
    const again = page(0, 3, '2026-03-02T00:31:00.000Z');
    const { read, summary } = streamOf(page(0), failed(1), again, page(1), completed(2));
    expect(summary()).toMatchObject({ ...TIMES, spansIntervals: false });
    await read(4);
    const readFrom = '2026-03-02T00:25:00.000Z';
    expect(summary()).toMatchObject({ ...TIMES, readFrom, spansIntervals: true });
  });

  it.each([
    ['page', page(2)],
    ['end', completed(2)],
  ])('does not pass over a page that is missing before a %s', async (_, late) => {
    const { read, next } = streamOf(page(0), late);
    await read(1);
    await expect(next()).rejects.toMatchObject({ code: 'REPLY_LOST', retryable: true, commandId: 'c-1' });
  });
});

describe('readRecord', () => {
  it('reads amounts as bigint, and nothing else', () => {
    const record = { id: 'p-1', moneyType: 1, win: 5, loss: -0, rake: 12_345_678_901_234_567_890n, level: 3 };
    expect(readRecord<AdHocRecord>(record)).toEqual({
      id: 'p-1',
      moneyType: 1,
      win: 5n,
      loss: 0n,
      rake: 12_345_678_901_234_567_890n,
      level: 3,
    });
  });

  it.each([1.5, '7', null])('passes on %s, which a lenient worker does', (value) => {
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

  it.each([null, undefined, -1, 1.5])('refuses a precision of %s', (precision) => {
    expect(() => formatAmount(1n, precision)).toThrow(RangeError);
  });
});
