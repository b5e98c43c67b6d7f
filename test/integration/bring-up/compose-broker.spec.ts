import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from '@jest/globals';

import { Program } from '../../../scripts/processes/program.ts';
import { root } from '../../../scripts/root.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const START = `
  const { startComposeBroker } = await import(${JSON.stringify(join(root, 'scripts/broker/compose-broker.ts'))});
  await using broker = await startComposeBroker();
  console.log(broker.url);`;

/** Runs the demo with a `docker` that gives these answers, by the end of its arguments. */
async function withDocker(answers: Readonly<Record<string, string>>) {
  using folder = temporaryFolder();
  const cases = Object.entries(answers).map(([end, answer]) => `*'${end}') echo '${answer}';;`);
  const script = `#!/bin/sh\necho "$*" >>${folder.path}/asked\ncase "$*" in ${cases.join(' ')} esac\n`;
  chmodSync(folder.write('docker', script), 0o755);
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', START];
  await using program = new Program(process.execPath, args, { PATH: `${folder.path}:/usr/bin:/bin` });
  const result = await program.result;
  const asked = readFileSync(join(folder.path, 'asked'), 'utf8');
  return { ...result, removed: /(\S+) down --volumes/.exec(asked)?.[1] };
}

const PORT = { 'port rabbitmq 5672': '[::]:15672' };
const PASSWORD = { 'exec --no-TTY rabbitmq cat /run/secrets/rabbitmq-demo': 'a/b@c' };
const URL = 'amqp://demo:a%2Fb%40c@127.0.0.1:15672/demo\n';

it.each([
  ['is removed again', {}, 'poker-bridge-demo'],
  ['that runs already is left alone', { 'ps --quiet --status running rabbitmq': 'id-1' }, undefined],
])('the broker of docker-compose.yml has the user of the demo, and %s', async (_, running, removed) => {
  expect(await withDocker({ ...PORT, ...PASSWORD, ...running })).toMatchObject({ stdout: URL, removed });
});

it('reports and removes a service that publishes no port', async () => {
  const { stderr, removed } = await withDocker(PASSWORD);
  expect(stderr).toContain('its RabbitMQ publishes no port for AMQP');
  expect(removed).toBe('poker-bridge-demo');
});
