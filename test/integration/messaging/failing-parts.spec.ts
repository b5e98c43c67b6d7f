import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';

import type { MessagingObserver } from '#messaging';

import { NestApplication, SILENT } from './nest-application.ts';

@Controller()
class SessionController {
  @MessagePattern('session.create')
  create(): object {
    return { type: 'session.created', data: { userId: 'p-1' } };
  }
}

describe('a command at which a part of the worker fails', () => {
  let service: NestApplication;
  let failures = 0;
  const fail = (): never => {
    failures += 1;
    throw new Error('a part has failed');
  };
  const observer = new Proxy(SILENT, {
    get: (target, name: keyof MessagingObserver) =>
      name === 'commandTaken' && failures < 2 ? fail : target[name],
  });

  beforeAll(async () => {
    const subjectOf = (_operator: string, player: string): string =>
      player === 'unreadable' ? fail() : player;
    service = await NestApplication.start({ controllers: [SessionController] }, {}, { observer, subjectOf });
  });
  afterAll(async () => service?.[Symbol.asyncDispose]());

  it('comes again, and is answered', async () => {
    const reply = await service.caller.sendForOne('session.create', { userId: 'p-1' });
    expect([reply.type, failures]).toEqual(['session.created', 2]);
  });

  it('is answered and dead-lettered as INTERNAL_ERROR if it cannot be decoded, and those beside it are answered', async () => {
    const unreadable = service.caller.sendForOne(
      'session.create',
      { userId: 'unreadable' },
      { messageId: 'm-1', correlationId: 'c-1', headers: { operator: 'acme' } },
    );
    const others = await Promise.all(
      Array.from({ length: 10 }, () => service.caller.sendForOne('session.create', { userId: 'p-1' })),
    );
    expect(new Set(others.map(({ type }) => type))).toEqual(new Set(['session.created']));
    expect(await unreadable).toMatchObject({
      messageId: 'm-1:0',
      correlationId: 'c-1',
      body: { code: 'INTERNAL_ERROR', command: { id: 'm-1', type: 'session.create' } },
    });
    const [letter, ...more] = await service.caller.drain(`${service.caller.prefix}.dead-letters`);
    expect(more).toEqual([]);
    expect(letter?.properties).toMatchObject({
      messageId: 'm-1',
      // Sent back as it is, it must not run with the credentials of `default`.
      headers: { 'x-reason': 'INTERNAL_ERROR', operator: '' },
    });
    expect(letter?.content.toString()).toBe('{"userId":"unreadable"}');
  });
});
