import { setImmediate as turn } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import type { Reply, ReportRecord } from '#contracts';

import { commandOf } from '../command/command.fixture.ts';
import { pageContent } from './page-content.ts';
import { textOf } from './reply-message.ts';

/** Its texts are as hostile as texts can be to those who cut JSON. */
function pageOf(count: number): Extract<Reply, { type: 'report.page' }> {
  const records = Array.from({ length: count }, (_, index) => ({
    id: String(index),
    currency: '"records":[]',
    records: [],
    deposit: (JSON as unknown as { rawJSON: (text: string) => object }).rawJSON('9007199254740993'),
  }));
  const frame = { report: 'rake', page: 1, pageCount: 1, perPage: 1_000, totalCount: count } as const;
  const precisions = { '"records":[]': 2, records: null };
  const data = { ...frame, precisions, records: records as unknown as ReportRecord[] };
  return { type: 'report.page', data };
}

const typed = commandOf().envelope;
const packet = { ...typed, form: 'packet' as const };

describe('pageContent', () => {
  it.each([0, 1, 99, 100, 101, 250])('writes %i records as they would be written at once', async (count) => {
    for (const envelope of [typed, packet]) {
      const reply = pageOf(count);
      expect((await pageContent(envelope, reply)).toString()).toBe(textOf({ envelope, reply }));
    }
  });

  it('leaves the event loop to others between slices', async () => {
    let turns = 0;
    let isWritten = false;
    const written = pageContent(typed, pageOf(1_000)).then(() => (isWritten = true));
    for (; !isWritten; turns += 1) await turn();
    await written;
    expect(turns).toBeGreaterThanOrEqual(10);
  });
});
