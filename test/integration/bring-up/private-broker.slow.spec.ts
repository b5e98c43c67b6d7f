import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { type Broker, startBroker } from '../../../scripts/broker/start-broker.ts';
import { freePorts, isListening } from '../../../scripts/network.ts';
import { drain, openConnection } from '../../support/broker.ts';
import { Program } from '../../../scripts/processes/program.ts';
import { until } from '../../support/until.ts';
import { isAlive } from '../../../scripts/launcher/with-lock.mjs';

describe('a private broker', () => {
  let broker: Broker;

  beforeAll(async () => {
    broker = await startBroker();
  });

  afterAll(() => broker.stop());

  it('listens on the loopback interface only', () => {
    const { amqp, distribution, epmd } = broker.node.ports;
    const addresses = [amqp, distribution, epmd].flatMap((port) => listenersOn(port));

    expect(addresses.length).toBeGreaterThanOrEqual(3);
    for (const address of addresses)
      expect(['0100007F', '00000000000000000000000001000000']).toContain(address);
  });

  it('keeps a durable message when it is killed and started again', async () => {
    const queue = { durable: true, arguments: { 'x-queue-type': 'quorum' } };
    {
      await using caller = await openConnection(broker.url);
      await caller.channel.assertQueue('kept', queue);
      // RabbitMQ can lose a quorum queue whose node is killed right after its declaration.
      await sleep(2_000);
      caller.channel.sendToQueue('kept', Buffer.from('still here'), { persistent: true });
      await caller.channel.waitForConfirms();
      await broker.kill();
      expect(await isListening(broker.node.ports.amqp)).toBe(false);
    }
    await broker.restart();
    await using caller = await openConnection(broker.url);

    expect(await drain(caller.channel, 'kept')).toEqual(['still here']);
  });

  it('leaves nothing behind when it is stopped', async () => {
    const other = await startBroker();
    const pid = Number(readFileSync(join(other.node.folder, 'pid'), 'utf8'));
    expect(isAlive(pid)).toBe(true);

    await other.stop();

    expect(isAlive(pid)).toBe(false);
    expect(existsSync(other.node.folder)).toBe(false);
    expect(Object.values(other.node.ports).flatMap((port: number) => listenersOn(port))).toEqual([]);
  });
});

/** The local addresses, as the kernel writes them, that are listened on at this port. */
function listenersOn(port: number): string[] {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  return ['/proc/net/tcp', '/proc/net/tcp6']
    .filter((file) => existsSync(file))
    .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => state === '0A' && local?.endsWith(`:${hex}`))
    .map(([, local = '']) => local.slice(0, local.indexOf(':')));
}

describe('npm run broker', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
    'is a broker on the given port, gone when %s ends npm',
    async (signal) => {
      const [port = 0] = await freePorts(1);
      await using program = new Program('npm', ['run', '--silent', 'broker', '--', '--port', String(port)]);

      expect(await program.says(/^(\S+) /)).toBe(`amqp://guest:guest@127.0.0.1:${port}`);
      await until('it listens', () => isListening(port));
      program.child.kill(signal);

      expect((await program.result).code).toBe(signal === 'SIGKILL' ? null : 0);
      await until('the broker has ended', async () => !(await isListening(port)));
    },
  );

  it.each([
    ['an invalid port', '--port', 'x', '--port x is not a port'],
    ['a release that is not supported', '--release', '3.10', '--release 3.10 is none of 4.0, 4.3'],
  ])('refuses %s, and says why', async (_, option, value, reason) => {
    await using program = new Program('npm', ['run', '--silent', 'broker', '--', option, value]);

    expect(await program.result).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) });
  });
});
