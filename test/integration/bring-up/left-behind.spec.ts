import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { testBrokerUrl, uniquePrefix } from '../../support/broker.ts';
import { BusCaller } from '../../support/bus-caller.ts';
import { PlatformStub } from '../../support/platform-stub.ts';
import { LocalPlatform } from '../platform/local-platform.ts';

const TIMEOUT_MS = 100;

/** Suites of one Jest worker share its process: what one leaves behind fails the one that runs next. */
describe('a suite that failed leaves no rejection to the next one:', () => {
  const rejections: unknown[] = [];
  const note = (reason: unknown) => void rejections.push(reason);
  beforeEach(() => {
    rejections.length = 0;
    process.on('unhandledRejection', note);
  });
  afterEach(() => {
    process.off('unhandledRejection', note);
  });
  const expectNone = async () => {
    await sleep(2 * TIMEOUT_MS);
    expect(rejections).toEqual([]);
  };

  it('the caller forgets replies that are no longer awaited', async () => {
    const caller = await BusCaller.open(testBrokerUrl(), uniquePrefix());
    // Like a test that fails between sending a command and expecting its reply.
    void caller.repliesTo('never answered', TIMEOUT_MS).then((replies) => replies.at(-1));
    await caller[Symbol.asyncDispose]();
    await expectNone();
  });

  const PLATFORMS = {
    service: async () => {
      const platform = await PlatformStub.start(() => undefined);
      return { origin: platform.origin, end: () => platform[Symbol.asyncDispose]() };
    },
    client: async () => {
      const platform = await LocalPlatform.start();
      return { origin: platform.origin, end: () => platform.close() };
    },
  };
  it.each(Object.entries(PLATFORMS))(
    'the platform of the %s forgets a request that is cut off half-way',
    async (_, start) => {
      const { origin, end } = await start();
      const socket = connect(Number(new URL(origin).port), '127.0.0.1');
      await once(socket, 'connect');
      socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nhalf');
      await sleep(TIMEOUT_MS);
      socket.destroy();
      await expectNone();
      await end();
    },
  );

  it('the platform forgets results of its behaviour after its end', async () => {
    const ended = Promise.withResolvers<void>();
    const platform = await PlatformStub.start(() => ended.promise);
    const answer = fetch(platform.origin).catch(() => undefined);
    while (platform.requests.length === 0) await sleep(10);
    await platform[Symbol.asyncDispose]();
    await answer;
    ended.reject(new Error('waited in vain'));
    await expectNone();
  });
});
