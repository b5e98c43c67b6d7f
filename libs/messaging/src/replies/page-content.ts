import type { Reply } from '#contracts';
import { nextSlice } from '#resilience';

import type { Envelope } from '../envelope/envelope.ts';
import { textOf } from './reply-message.ts';

/** Records that are written in one turn of the event loop, which players' commands share: some 0.5 ms. */
const SLICE = 100;
/** Nothing else in a page is written so: a quotation mark within a text is escaped, and no other member is a list of it. */
const NO_RECORDS = '"records":[]';

/** The body of a reply, byte for byte what `replyMessage` would write; the records of a page are written in slices. */
export async function pageContent(envelope: Envelope, reply: Reply): Promise<Buffer> {
  if (reply.type !== 'report.page') return Buffer.from(textOf({ envelope, reply }));
  const { records, ...rest } = reply.data;
  const frame = textOf({ envelope, reply: { ...reply, data: { ...rest, records: [] } } });
  const [before = '', after = ''] = frame.split(NO_RECORDS);
  const pieces = [Buffer.from(`${before}"records":[`)];
  for (let first = 0; first < records.length; first += SLICE) {
    await nextSlice();
    const slice = JSON.stringify(records.slice(first, first + SLICE)).slice(1, -1);
    pieces.push(Buffer.from(first === 0 ? slice : `,${slice}`));
  }
  return Buffer.concat([...pieces, Buffer.from(`]${after}`)]);
}
