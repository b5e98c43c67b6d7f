import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { startBroker } from '../../../scripts/broker/start-broker.ts';
import { freePorts, isListening } from '../../../scripts/network.ts';
import { Program } from '../../../scripts/processes/program.ts';
import { root } from '../../../scripts/root.ts';
import { testBrokerCtl, testBrokerUrl } from '../../support/broker.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

describe('a private broker', () => {
  it('listens on the loopback interface only', async () => {
    await using broker = await startBroker();
    const { amqp, distribution, epmd } = broker.node.ports;
    const addresses = [amqp, distribution, epmd].flatMap((port) => listenersOn(port));
    expect(addresses.length).toBeGreaterThanOrEqual(3);
    for (const address of addresses)
      expect(['0100007F', '00000000000000000000000001000000']).toContain(address);
  });

  it('that does not start says why, and leaves nothing', async () => {
    using folder = temporaryFolder();
    const start = `
      const { startBroker } = await import(${JSON.stringify(join(root, 'scripts/broker/start-broker.ts'))});
      console.log(await startBroker({ settings: ['no term'] }).catch(String),
        process.getBuiltinModule('fs').readdirSync(process.env.TMPDIR));`;
    await using program = new Program(process.execPath, ['--input-type=module', '--eval', start], {
      ...process.env,
      TMPDIR: folder.path,
    });
    const why = /^Error: it does not take connections \(ended with 1\):.*BOOT FAILED.*\[\]\n$/s;
    expect((await program.result).stdout).toMatch(why);
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

it.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
  'npm run broker is a broker on the given port, gone when %s ends npm',
  async (signal) => {
    const [port = 0] = await freePorts(1);
    await using program = new Program('npm', ['run', '--silent', 'broker', '--', '--port', String(port)]);
    expect(await program.says(/^(\S+) /)).toBe(`amqp://guest:guest@127.0.0.1:${port}`);
    await until('it listens', () => isListening(port));
    program.kill(signal);
    expect((await program.result).code).toBe(signal === 'SIGKILL' ? null : 0);
    await until('the broker has ended', async () => !(await isListening(port)));
  },
);

it('npm run demo runs on the nodes of a cluster that AMQP_URL names, and leaves nothing there', async () => {
  const AMQP_URL = `${testBrokerUrl()},${testBrokerUrl().replace('127.0.0.1', 'localhost')}`;
  const variables = { ...process.env, RABBITMQ_RELEASE: '', AMQP_URL };
  await using program = new Program('npm', ['run', '--silent', 'demo'], variables);
  const { code, stdout, stderr } = await program.result;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('All 8 commands were answered as they should be.');
  expect(await testBrokerCtl('list_queues', 'name')).not.toContain('poker-demo-');
});

it.each([
  ['broker', '--port', 'x', '--port x is not a port'],
  ['broker', '--port', new URL(testBrokerUrl()).port, 'is taken: choose another one'],
  ['broker', '--release', '3.10', 'RabbitMQ 3.10 is not one of the releases 4.0, 4.3'],
  ['soak', '--minutes', '0', '--minutes 0 is not a number above 0'],
  ['broker', '--round', '1', "Unknown option '--round'; valid options: --port, --release"],
  ['demo', '--kep', '', "Unknown option '--kep'; valid options: --keep"],
  ['test', '--suite', 'fast', 'there is no suite fast'],
])('npm run %s refuses %s %s, and says why', async (task, option, value, reason) => {
  await using program = new Program('npm', ['run', '--silent', task, '--', option, value]);
  expect(await program.result).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) });
});
