import 'reflect-metadata';
import { type INestApplicationContext, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { PlatformClients, PlatformModule, PlatformObserver } from '#platform';

import { until } from '../../support/until.ts';
import {
  callWithin,
  CALLS,
  failureOf,
  LIMITS,
  operatorAt,
  RecordingObserver,
  startPlatform,
} from './client.fixture.ts';
import { SESSION } from './documents.ts';
import { answers, type LocalPlatform } from './local-platform.ts';

@Module({
  providers: [{ provide: PlatformObserver, useClass: RecordingObserver }],
  exports: [PlatformObserver],
})
class ObserverModule {}

@Injectable()
class Lobby {
  readonly platform: PlatformClients;

  constructor(platform: PlatformClients) {
    this.platform = platform;
  }
}

let platform: LocalPlatform;
let app: INestApplicationContext;

beforeEach(async () => {
  platform = await startPlatform(answers(200, SESSION));
  const platformModule = PlatformModule.forRootAsync({
    imports: [ObserverModule],
    inject: [PlatformObserver],
    useFactory: (observer: PlatformObserver) => ({
      operators: [operatorAt(platform.origin)],
      limits: LIMITS,
      observer,
    }),
  });
  @Module({ imports: [platformModule], providers: [Lobby] })
  class AppModule {}
  app = await NestFactory.createApplicationContext(AppModule, { logger: false });
});

afterEach(() => app.close());

const createSession = () => CALLS['session.create'](app.get(Lobby).platform.get('default')!, callWithin());

describe('PlatformModule', () => {
  it('injects the clients of its operators, and tells the observer that was injected', async () => {
    await expect(createSession()).resolves.toMatchObject({ userId: 'u-1' });
    expect(app.get(PlatformObserver, { strict: false })).toMatchObject({ results: ['2xx'] });
  });

  it('closes their connections when the application shuts down', async () => {
    await createSession();
    expect(platform.openSockets).toBe(1);
    await app.close();
    await until('the connection is closed', () => platform.openSockets === 0);
    expect(await failureOf(createSession())).toMatchObject({
      code: 'PLATFORM_UNAVAILABLE',
      details: { reason: 'closed' },
    });
  });
});
