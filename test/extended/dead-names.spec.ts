import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { healthy } from '../support/platform-answers.ts';
import { ServiceUnderTest } from '../support/service-under-test.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** An address of this machine alone; a resolver asks nowhere but at port 53, which takes root. */
const NAME_SERVER = '127.83.0.1';
const DEAD = 40;
/** Node.js resolves names on half of its threads. */
const AT_ONCE = 30;
const HEAD_START_MS = 500;
/** The system gives up a name after ten seconds. */
const ANSWERED_AFTER_MS = 11_000;
const CALLS = 20;
const DEADLINE_MS = 3_000;
/** Names take nothing of it; the rest is for a busy machine. */
const MOST_MS = 3_000;
/** Gives a program another resolv.conf, in a mount namespace of its own. */
const WITH_RESOLV_CONF = 'mount --bind "$0" /etc/resolv.conf && exec "$@"';

describe('beside a name server that is silent', () => {
  const folder = temporaryFolder();
  const server = createSocket('udp4');
  let questions = 0;
  let service: ServiceUnderTest;

  beforeAll(async () => {
    server.on('message', () => (questions += 1)).bind(53, NAME_SERVER);
    await once(server, 'listening');
    const resolvConf = folder.write('resolv.conf', `nameserver ${NAME_SERVER}\n`);
    const dead = Array.from({ length: DEAD }, (_, n) => {
      const origin = `https://dead-${n}.example`;
      return [
        `dead-${n}`,
        { clientId: 'dead', secretKey: 'dead', baseUrl: `${origin}/api/web`, apiUrl: origin },
      ];
    });
    const operators = folder.write('operators.json', JSON.stringify(Object.fromEntries(dead)));
    service = await ServiceUnderTest.start({ behaviour: healthy() });
    const local = Object.entries(service.platform.variables).map(([name, value]) => [
      name,
      value.replace('//127.0.0.1', '//localhost'),
    ]);
    const variables = { ...Object.fromEntries(local), OPERATORS_FILE: operators } as Record<string, string>;
    await service.start(variables, ['unshare', '--mount', 'sh', '-c', WITH_RESOLV_CONF, resolvConf]).ready();
  });
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]();
    server.close();
    folder[Symbol.dispose]();
  });

  const send = (operator: string, deadlineMs: number) =>
    service.caller.sendForOne(
      'session.create',
      { userId: 'p-1' },
      { headers: { operator, 'x-deadline': Date.now() + deadlineMs } },
    );
  const expectServed = async (): Promise<void> => {
    const startedAtMs = performance.now();
    const served = await Promise.all(Array.from({ length: CALLS }, () => send('default', 60_000)));
    expect(served.map(({ type }) => type)).toEqual(served.map(() => 'session.created'));
    expect(performance.now() - startedAtMs).toBeLessThan(MOST_MS);
  };

  it('thirty operators whose names are asked for there hold up none whose name is asked for after them', async () => {
    const lost = Array.from({ length: 3 * AT_ONCE }, (_, n) => send(`dead-${n % AT_ONCE}`, DEADLINE_MS));
    await sleep(HEAD_START_MS);
    await expectServed();
    for (const { body } of await Promise.all(lost)) expect(body['code']).toBe('COMMAND_EXPIRED');
    expect(questions).toBeGreaterThan(0);
  });

  it('nor do forty, again and again', async () => {
    for (let times = 0; times < 2; times += 1) {
      const lost = Array.from({ length: DEAD }, (_, n) => send(`dead-${n}`, DEADLINE_MS));
      await expectServed();
      for (const { type } of await Promise.all(lost)) expect(type).toBe('command.failed');
      await sleep(ANSWERED_AFTER_MS);
    }
  });
});
