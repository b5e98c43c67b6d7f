import { randomUUID } from 'node:crypto';

import type { ConsumeMessage } from 'amqplib';

import { openConnection } from '../../../test/support/broker.ts';
import { adHocAttributes } from '../../../test/support/platform-answers.ts';
import type { RunningWorker } from '../contestants.ts';
import { sendTo } from '../driver/inbox.ts';

/** The number of digits of each record number. */
const DIGITS = 9;
const PLACE = '0'.repeat(DIGITS);

/**
 * Generates the pages of an ad hoc report with all members of the interface document. Only the numbers of the
 * records are written for each page, so that a report of any size takes neither memory nor time.
 *
 * @returns a function that returns a page by its number, from 1, and the number of records per page
 */
export function reportPages(records: number): (page: number, perPage: number) => Buffer {
  /** By number of records: the text of a page, and the positions of their numbers in it. */
  const templates = new Map<number, ReturnType<typeof templateOf>>();
  return (page, perPage) => {
    const first = (page - 1) * perPage;
    const count = Math.max(0, Math.min(perPage, records - first));
    const template = templates.get(count) ?? templateOf(count);
    templates.set(count, template);
    const data = Buffer.from(template.text);
    for (const [index, place] of template.places.entries()) {
      // Each number appears twice in a record: in its id, and in that of its player.
      data.write(String(first + Math.floor(index / 2)).padStart(DIGITS, '0'), place, 'latin1');
    }
    const meta = {
      'total-count': records,
      'page-count': Math.ceil(records / perPage),
      'current-page': page,
      'per-page': perPage,
    };
    return Buffer.concat([data, Buffer.from(`"meta":${JSON.stringify(meta)}}`)]);
  };
}

function templateOf(count: number) {
  const records = Array.from({ length: count }, (_, index) => JSON.stringify(recordOf(index)));
  const text = Buffer.from(`{"data":[${records.join(',')}],`);
  const places: number[] = [];
  for (let at = text.indexOf(PLACE); at >= 0; at = text.indexOf(PLACE, at + DIGITS)) places.push(at);
  return { text, places };
}

function recordOf(index: number): object {
  const attributes = adHocAttributes(`player-${PLACE}`, 1_000 * index);
  const currency = index % 2 === 0 ? 'EUR' : 'USD';
  return { type: 'ad-hoc-report', id: `player-${PLACE}-1`, attributes: { ...attributes, currency } };
}

/** A month and a day are the same here: the platform decides how large a report is. */
const PERIOD = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };
/** The longest that the contract allows. */
const BUDGET_MS = 20 * 60_000;
/** Received pages that are not acknowledged yet. */
const PREFETCH = 20;
const FIRST_ID = Buffer.from('"id":"player-');

export interface ReadReport {
  readonly pages: number;
  readonly elapsedMs: number;
  readonly end: Readonly<Record<string, unknown>>;
  /** The number of pages that were duplicated, out of order, or contained the wrong records. It must be 0. */
  readonly faults: number;
}

/** Reads reports one after the other without storing them. */
export async function openReportReader(amqpUrl: string) {
  const connection = await openConnection(amqpUrl);
  const { channel } = connection;
  await channel.prefetch(PREFETCH);
  const { queue: replyTo } = await channel.assertQueue('', { exclusive: true });
  let onReply: (message: ConsumeMessage) => void = () => undefined;
  await channel.consume(replyTo, (message) => {
    if (message === null) return;
    onReply(message);
    channel.ack(message);
  });

  const read = ({ inbox }: RunningWorker, perPage: number): Promise<ReadReport> => {
    const startMs = performance.now();
    let pages = 0;
    let faults = 0;
    return new Promise((resolve) => {
      onReply = ({ properties, content }) => {
        const headers = (properties.headers ?? {}) as Record<string, unknown>;
        if (headers['final'] === true) {
          const end = JSON.parse(content.toString()) as ReadReport['end'];
          resolve({ pages, elapsedMs: performance.now() - startMs, end, faults });
          return;
        }
        const isRight = headers['sequence'] === pages && firstRecord(content) === pages * perPage;
        if (!isRight) faults += 1;
        pages += 1;
      };
      const command = {
        type: 'report.ad-hoc.fetch',
        id: randomUUID(),
        data: { ...PERIOD, perPage },
        replyTo,
      };
      sendTo(inbox, channel, command, { headers: { 'x-deadline': Date.now() + BUDGET_MS } });
    });
  };
  return { read, [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose]() };
}

/** Returns the number of the first record of a page without parsing the page. */
function firstRecord(content: Buffer): number {
  const from = content.indexOf(FIRST_ID) + FIRST_ID.length;
  return Number.parseInt(content.toString('latin1', from, from + 9), 10);
}
