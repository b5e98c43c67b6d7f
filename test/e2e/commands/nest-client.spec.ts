import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { type ClientProxy, ClientProxyFactory, RmqRecordBuilder, Transport } from '@nestjs/microservices';
import { firstValueFrom, lastValueFrom, toArray } from 'rxjs';

import { until } from '../../support/until.ts';
import { sandboxedForAll } from './sandboxed-service.ts';

const DAY = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };

describe("Nest's own client", () => {
  const sandboxed = sandboxedForAll({ sandbox: { SANDBOX_REPORT_RECORDS: '5' } });
  let client: ClientProxy;

  beforeAll(async () => {
    const { url, prefix } = sandboxed.service;
    Logger.overrideLogger(false);
    client = ClientProxyFactory.create({
      transport: Transport.RMQ,
      options: { urls: [url], queue: `${prefix}.interactive`, noAssert: true },
    });
    await client.connect();
  });

  afterAll(() => client?.close());

  const failureOf = (pattern: string | object, data: unknown): Promise<unknown> =>
    firstValueFrom(client.send(pattern, data)).then(
      (value) => Promise.reject(new Error(`answered with ${JSON.stringify(value)}`)),
      (error: unknown) => error,
    );

  it('gets a session', async () => {
    const session = await firstValueFrom(client.send('session.create', { userId: 'p-nest' }).pipe(toArray()));
    expect(session).toEqual([
      {
        userId: 'p-nest',
        sessionId: expect.any(String),
        auth: expect.any(String),
        redirectUrl: expect.any(String),
      },
    ]);
  });

  it('gets a game, for the operator that it names', async () => {
    const options = { headers: { operator: 'default' } };
    const record = new RmqRecordBuilder({ player: { id: 'p-nest' } }).setOptions(options).build();
    expect(await lastValueFrom(client.send('game.open', record))).toMatchObject({ playerId: 'p-nest' });

    const unknown = new RmqRecordBuilder({ player: { id: 'p-nest' } })
      .setOptions({ headers: { operator: 'nobody' } })
      .build();
    expect(await failureOf('game.open', unknown)).toMatchObject({ code: 'UNKNOWN_OPERATOR' });
  });

  it('gets a report as an Observable of pages, the completion at its end', async () => {
    const report = await lastValueFrom(
      client.send('report.ad-hoc.fetch', { ...DAY, perPage: 2 }).pipe(toArray()),
    );
    expect(report).toMatchObject([
      { report: 'ad-hoc', page: 1, pageCount: 3, records: [{}, {}] },
      { page: 2, records: [{}, {}] },
      { page: 3, records: [{}] },
      { report: 'ad-hoc', pages: 3, records: 5, totalCount: 5, changedWhileReading: false },
    ]);
    expect(report).toHaveLength(4);
  });

  it('cannot emit: an event has no reply queue', async () => {
    const events = await sandboxed.caller.events('command.failed.REPLY_TO_MISSING');
    await lastValueFrom(client.emit('session.create', { userId: 'p-emit' }), { defaultValue: undefined });
    await until('it is announced', () => events.length === 1);
    expect(JSON.parse(String(events[0]?.content))).toMatchObject({ code: 'REPLY_TO_MISSING', attempts: 0 });
  });

  const send = async (pattern: string, data: unknown, id: string, options: object = {}) => {
    const replies = await sandboxed.caller.send(pattern, { pattern, data, id }, options);
    return replies.map(({ body }) => body);
  };

  it("has the packet's id as the command's identity", async () => {
    const id = randomUUID();
    const [first] = await send('session.create', { userId: 'p-1' }, id, { messageId: 'one' });
    const [again] = await send('session.create', { userId: 'p-1' }, id, { messageId: 'other' });
    expect(first).toEqual({ response: expect.objectContaining({ userId: 'p-1' }), isDisposed: true, id });
    expect(again).toEqual(first);
    expect(await send('session.create', { userId: 'p-2' }, id)).toMatchObject([
      { err: { code: 'IDEMPOTENCY_CONFLICT', command: { id } } },
    ]);
    const tooLong = await send('session.create', { userId: 'p-1' }, 'x'.repeat(201));
    expect(tooLong).toMatchObject([{ err: { violations: [{ pointer: '/id' }] } }]);
  });
});
