import { randomBytes, randomUUID } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';
import type { ChannelModel } from 'amqplib';

import { healthy } from '../../support/platform-answers.ts';
import { publishRaw, type RawProperties } from '../../support/raw-message.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

const SESSION = Buffer.from('{"userId":"p-1"}');
const NOT_UTF_8 = { pointer: '/properties/message_id', message: expect.stringContaining('UTF-8') };
const HOUR_MS = 3_600_000;

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

describe('a timestamp in milliseconds', () => {
  const variables = { INTERACTIVE_DEADLINE_MS: '15000' };
  const service = serviceForAll({ behaviour: healthy(), variables, workers: 1 });

  it('is read, and a command that has expired by it is answered with how late it was and a hint', async () => {
    const answer = async (timestamp: number) =>
      (await service.caller.sendForOne('session.create', SESSION, { timestamp })).body;
    expect(await answer(Date.now())).toMatchObject({ userId: 'p-1' });
    const { details, code } = await answer(Date.now() - 2 * HOUR_MS);
    expect({ code, details }).toEqual({
      code: 'COMMAND_EXPIRED',
      details: { called: false, lateByMs: expect.any(Number), hint: 'clock' },
    });
    expect((details as { lateByMs: number }).lateByMs).toBeGreaterThanOrEqual(7_185_000);
  });
});
