import { randomBytes, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';

import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ChannelModel, Options } from 'amqplib';

import { healthy } from '../../support/platform-answers.ts';
import { publishRaw, type RawProperties } from '../../support/raw-message.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

const SESSION = Buffer.from('{"userId":"p-1"}');
const NOT_UTF_8 = { pointer: '/properties/message_id', message: expect.stringContaining('UTF-8') };
const HOUR_S = 3_600;

/** Records every byte that a connection reads from now on, because amqplib decodes all ids as UTF-8. */
function bytesReadBy(connection: ChannelModel): () => Buffer {
  const { stream } = (connection as unknown as { connection: { stream: NodeJS.ReadableStream } }).connection;
  const chunks: Buffer[] = [];
  const read = stream.read.bind(stream);
  stream.read = (...size) => {
    const chunk = read(...size) as unknown as Buffer | null;
    if (chunk) chunks.push(chunk);
    return chunk as never;
  };
  return () => Buffer.concat(chunks);
}

describe('ids of arbitrary bytes', () => {
  const service = serviceForAll({ behaviour: healthy(), workers: 1 });
  const send = (properties: RawProperties): void => {
    const to = { exchange: service.name('commands'), routingKey: 'session.create' };
    publishRaw(service.caller.channel, to, { replyTo: service.caller.replyQueue, ...properties }, SESSION);
  };

  it('refuses every message id that is not UTF-8 by name, so that no two are confused', async () => {
    const ids = Array.from({ length: 128 }, (_, n) => Buffer.from([0, 0, 0, 0, 0, 0, 0, 128 + n]));
    const replies = ids.map((messageId, n) => {
      const reply = service.caller.repliesTo(`binary-${n}`);
      send({ messageId, correlationId: `binary-${n}` });
      return reply;
    });
    const bodies = (await Promise.all(replies)).map(([reply]) => reply?.body);
    const refused = { code: 'VALIDATION_FAILED', violations: [NOT_UTF_8] };
    expect(bodies).toMatchObject(ids.map(() => refused));
    expect(service.platform.requests).toEqual([]);
  });

  it('returns a correlation id byte for byte, also in a dead letter', async () => {
    const received = bytesReadBy(service.caller.connection);
    const answered = Array.from({ length: 40 }, (_, n) =>
      Buffer.concat([Buffer.of(0xff), randomBytes(1 + n * 6)]),
    );
    const refused = randomBytes(254);
    for (const correlationId of answered) send({ messageId: randomUUID(), correlationId });
    send({ messageId: 'x'.repeat(201), correlationId: Buffer.from([0x80, ...refused]) });
    const arrived = (id: Buffer) => () => received().includes(Buffer.from([id.length, ...id]));
    for (const id of answered) await until(`${id.toString('hex')} is back`, arrived(id));
    await until('the refused one is back', arrived(Buffer.from([0x80, ...refused])));
    const before = received().length;
    await until('it is dead-lettered', async () => (await service.depth('dead-letters')) > 128);
    const letters = await service.deadLetters();
    expect(letters).toHaveLength(129);
    expect(received().subarray(before).includes(refused)).toBe(true);
  });
});

describe('units and encodings', () => {
  const variables = { INTERACTIVE_DEADLINE_MS: '15000' };
  const service = serviceForAll({ behaviour: healthy(), variables, workers: 1 });
  const nowS = Math.floor(Date.now() / 1000);
  const answer = async (options: Options.Publish, body: Buffer = SESSION) =>
    (await service.caller.sendForOne('session.create', body, options)).body;
  let waits: number;
  beforeAll(async () => void (waits = await service.running.metric('poker_command_wait_seconds_sum')));

  it('explains what a deadline in seconds probably meant', async () => {
    const body = await answer({ headers: { 'x-deadline': nowS + 60 } });
    const message = expect.stringContaining(`epoch milliseconds: ${nowS + 60} is probably in seconds`);
    expect(body).toMatchObject({
      code: 'VALIDATION_FAILED',
      violations: [{ pointer: '/headers/x-deadline', message }],
    });
  });

  it.each([
    ['seconds', 1],
    ['milliseconds', 1_000],
  ])('answers an expired timestamp in %s with how late it was and a hint', async (_, unit) => {
    expect(await answer({ timestamp: nowS * unit })).toMatchObject({ userId: 'p-1' });
    const { details, code } = await answer({ timestamp: (nowS - 2 * HOUR_S) * unit });
    expect({ code, details }).toEqual({
      code: 'COMMAND_EXPIRED',
      details: { called: false, lateByMs: expect.any(Number), hint: 'clock' },
    });
    expect((details as { lateByMs: number }).lateByMs).toBeGreaterThanOrEqual(7_185_000);
  });

  it('does not record a wait if the clock of a caller is wrong', async () => {
    expect((await service.running.metric('poker_command_wait_seconds_sum')) - waits).toBeLessThan(600);
  });

  it('skips a byte order mark, and names content_encoding if the body cannot be read', async () => {
    expect(await answer({}, Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), SESSION]))).toMatchObject({
      userId: 'p-1',
    });
    const body = await answer({ contentEncoding: 'gzip' }, gzipSync(SESSION));
    expect(body).toMatchObject({
      code: 'MALFORMED_MESSAGE',
      message: expect.stringContaining('content_encoding'),
    });
  });
});
