import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';

import { PassErrorsFilter } from '../../../apps/worker/src/commands/handlers.ts';
import { SessionCreateController } from '../../../apps/worker/src/commands/session-create/session-create.controller.ts';
import { SessionCreate } from '#contracts/validation';
import { PlatformClients } from '#platform';
import { readOperators, readSettings } from '#settings';

import { SESSION } from '../platform/documents.ts';
import { answers, LocalPlatform } from '../platform/local-platform.ts';
import { NestApplication } from './nest-application.ts';

const LIMITS = {
  attemptTimeoutMs: 5_000,
  maxAttempts: 1,
  connections: 1,
  queue: 1,
  circuit: { failureRate: 50, minimumCalls: 100, windowMs: 1_000, openMs: 1_000 },
};

/** Writes nicknames in capitals, by the class of the parameter as Nest tells it. */
@Injectable()
class Capitals implements PipeTransform {
  transform(value: unknown, { metatype, type }: ArgumentMetadata): unknown {
    if (type !== 'body' || metatype !== SessionCreate) return value;
    const data = value as SessionCreate;
    return { ...data, nick: data.nick?.toUpperCase() };
  }
}

describe('the shipped handlers, in an application of Nest', () => {
  let platform: LocalPlatform;
  let clients: PlatformClients;
  let service: NestApplication;

  beforeAll(async () => {
    platform = await LocalPlatform.start(answers(200, SESSION));
    clients = new PlatformClients(readOperators(readSettings(platform.variables)), { limits: LIMITS });
    const providers = [
      { provide: APP_FILTER, useClass: PassErrorsFilter },
      { provide: APP_PIPE, useClass: Capitals },
    ];
    const metadata = { controllers: [SessionCreateController], providers };
    service = await NestApplication.start(metadata, clients.get('default'));
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await clients.close();
    await platform[Symbol.asyncDispose]();
  });

  it('take their data through its pipes', async () => {
    const [reply] = await service.caller.send('session.create', { userId: 'u-1', nick: 'lucky' });
    expect(reply).toMatchObject({ type: 'session.created' });
    expect(platform.requests.at(-1)?.body).toContain('LUCKY');
  });
});
