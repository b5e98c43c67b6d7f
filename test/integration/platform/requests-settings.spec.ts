import { createHash } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type INestApplicationContext, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import 'reflect-metadata';

import { PlatformClients, PlatformModule, PlatformObserver, type PlatformSettings } from '#platform';

import { until } from '../../support/until.ts';
import {
  buildClient,
  CALLS,
  callWithin,
  failureOf,
  LIMITS,
  operatorAt,
  RecordingObserver,
  SECRET,
  startPlatform,
} from './client.fixture.ts';
import { GAME, SESSION } from './documents.ts';
import { answers, type LocalPlatform } from './local-platform.ts';

describe('signature settings', () => {
  const LAUNCH_OPTIONS = { locale: 'de', theme: { page: '1', name: 'dark' } };

  let platform: LocalPlatform;

  beforeEach(async () => {
    platform = await startPlatform();
  });

  const digest = (canonical: string) =>
    createHash('sha256')
      .update(canonical + SECRET)
      .digest('hex');
  const clientWith = (settings: Partial<PlatformSettings>) =>
    buildClient(platform.origin, { settings }).client;

  describe('a request', () => {
    it.each([
      ['top', 'op1u-1dedark1OpenGame'],
      ['deep', 'op1u-1darkOpenGame'],
    ] as const)(
      'with excluded names in its launch options is signed as SIGNATURE_EXCLUDE=%s says',
      async (exclude, canonical) => {
        platform.always(answers(200, GAME));
        const session = { launchOptions: LAUNCH_OPTIONS };
        await clientWith({ exclude }).openGame({ player: { id: 'u-1' }, session }, callWithin());
        const [{ headers, body } = {}] = platform.received;
        expect(headers?.['sign']).toBe(digest(canonical));
        expect(JSON.parse(body!).data.attributes.session).toEqual(session);
      },
    );

    it.each([
      ['in-place', 'en29u-1'],
      ['merge', '2enu-19'],
    ] as const)(
      'with a string of JSON is signed as SIGNATURE_JSON_PLACEMENT=%s says',
      async (jsonPlacement, canonical) => {
        platform.always(answers(200, SESSION));
        const nick = '{"z":"9","b":"2"}';
        await clientWith({ jsonPlacement }).createSession({ userId: 'u-1', nick, lang: 'en' }, callWithin());
        const [{ headers, body } = {}] = platform.received;
        expect(headers?.['sign']).toBe(digest(canonical));
        expect(new URLSearchParams(body).get('nick')).toBe(nick);
      },
    );
  });
});

describe('credentials', () => {
  const OTHER = { clientId: 'op2', secretKey: 'another_secret_key' };

  let platform: LocalPlatform;

  beforeEach(async () => {
    platform = await startPlatform(answers(200, SESSION));
  });

  describe('other credentials', () => {
    it('are used by the calls that begin then, over the same connection and with the same circuit', async () => {
      const { client } = buildClient(platform.origin);
      await CALLS['session.create'](client, callWithin());
      client.use(operatorAt(platform.origin, { credentials: OTHER }));
      await CALLS['session.create'](client, callWithin());
      const [before, after] = platform.received;
      expect([before, after].map((request) => request!.url.searchParams.get('clientId'))).toEqual([
        'op1',
        'op2',
      ]);
      expect(after!.headers['sign']).not.toBe(before!.headers['sign']);
      expect([platform.connections, client.circuits()]).toEqual([1, [expect.anything()]]);
    });

    it('are not those of a call under way, nor of its retries', async () => {
      const { client } = buildClient(platform.origin);
      platform.next(({ response }) => {
        client.use(operatorAt(platform.origin, { credentials: OTHER }));
        response.writeHead(503).end();
      });
      await CALLS['session.create'](client, callWithin());
      const [first, second] = platform.received;
      expect([second!.target, second!.headers['sign']]).toEqual([first!.target, first!.headers['sign']]);
    });

    it('are kept out of the errors of the calls that were made with them', async () => {
      const { client } = buildClient(platform.origin);
      platform.next(({ response }) => {
        client.use(operatorAt(platform.origin, { credentials: OTHER }));
        response.writeHead(422).end(JSON.stringify({ errors: [{ detail: 'wrong: test_secret_key' }] }));
      });
      const error = await failureOf(CALLS['session.create'](client, callWithin()));
      expect(JSON.stringify(error.platform)).not.toContain('test_secret_key');
    });

    it('may be those of another address, where the connections to the former one end with their calls', async () => {
      const { client } = buildClient(platform.origin);
      const other = await startPlatform(answers(200, SESSION));
      platform.next(answers(200, SESSION), ({ response }) => {
        client.use(operatorAt(other.origin));
        void answers(200, SESSION)({ response } as never);
      });
      await Promise.all([1, 2].map(() => CALLS['session.create'](client, callWithin())));
      await until('the former connections have ended', () => platform.openSockets === 0);
      await CALLS['session.create'](client, callWithin());
      expect([platform.received.length, other.received.length]).toEqual([2, 1]);
    });
  });
});

describe('platform module', () => {
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
});
