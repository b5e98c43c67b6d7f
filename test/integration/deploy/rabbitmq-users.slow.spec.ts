import { execFile } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, it } from '@jest/globals';

import { permissionsOf } from '../../../apps/cli/src/callers.ts';
import { root } from '../../../scripts/root.ts';
import { read, tablesWith } from '../../docs/markdown.ts';
import { testBrokerCtl } from '../../support/broker.ts';
import { folderForAll } from '../../support/suite-service.ts';

const run = promisify(execFile);
const SECRETS = join(root, 'deploy/rabbitmq/secrets');

interface Definitions {
  readonly users: readonly { readonly name: string; readonly password: string; readonly tags: string }[];
  readonly permissions: readonly {
    readonly user: string;
    readonly vhost: string;
    readonly configure: string;
    readonly write: string;
    readonly read: string;
  }[];
}

/** The users of docker-compose.yml. */
describe('deploy/rabbitmq/start.sh', () => {
  const folder = folderForAll();
  const target = join(folder.path, 'definitions.json');
  // A stand-in for the entry point of the image.
  chmodSync(folder.write('docker-entrypoint.sh', '#!/bin/sh\necho "starts $*"\n'), 0o755);

  const start = (secrets: string) => {
    const PATH = `${folder.path}${delimiter}${process.env['PATH']}`;
    return run('sh', [join(root, 'deploy/rabbitmq/start.sh'), secrets, target], { env: { PATH } });
  };
  const definitions = async () => JSON.parse(await readFile(target, 'utf8')) as Definitions;

  it('sets the password of each user from its file, and starts RabbitMQ', async () => {
    expect((await start(SECRETS)).stdout).toBe('starts rabbitmq-server\n');
    const { users } = await definitions();
    expect(users.map(({ name, password, tags }) => [name, password, tags])).toEqual([
      ['admin', 'admin', 'administrator'],
      ['worker', 'worker', ''],
      ['caller', 'caller', ''],
      ['demo', 'demo', ''],
    ]);
  });

  it('writes definitions that RabbitMQ imports, with users that can log in', async () => {
    await start(SECRETS);
    const { users, permissions } = await definitions();
    try {
      await testBrokerCtl('import_definitions', target);
      for (const { name, password } of users)
        expect(await testBrokerCtl('authenticate_user', name, password)).toMatch(/Success/);
      for (const { user, vhost, ...patterns } of permissions) {
        const listed = await testBrokerCtl('list_user_permissions', user, '--formatter', 'json');
        expect(JSON.parse(listed)).toEqual([{ vhost, ...patterns }]);
      }
    } finally {
      for (const { name } of users) await testBrokerCtl('delete_user', name);
      await testBrokerCtl('delete_vhost', 'demo');
    }
  });

  it('grants the documented permissions to the worker and a caller, and none to the demo', async () => {
    await start(SECRETS);
    const { permissions } = await definitions();
    const patternsOf = (name: string) =>
      permissions
        .filter(({ user }) => user === name)
        .map(({ vhost, configure, write, read: readable }) => [vhost, configure, write, readable]);
    const [[, ...worker] = []] = tablesWith(read('docs/operations.md'), 'User')[0]?.rows ?? [];
    expect(patternsOf('worker')).toEqual([['/', ...worker.map((cell) => cell.slice(1, -1))]]);
    expect(patternsOf('caller')).toEqual([['/', ...Object.values(permissionsOf('caller', {}, 'poker'))]]);
    expect(patternsOf('demo').map(([vhost]) => vhost)).toEqual(['demo']);
  });

  it('rejects a password that needs escaping, without printing it', async () => {
    const secrets = join(folder.path, 'secrets');
    await cp(SECRETS, secrets, { recursive: true });
    await writeFile(join(secrets, 'rabbitmq-worker'), 'amqp://worker:CANARY"/&@rabbitmq:5672\n');
    const failure = await start(secrets).catch((error: unknown) => error as { code: number; stderr: string });
    expect(failure).toMatchObject({ code: 78, stderr: expect.stringContaining('rabbitmq-worker') });
    expect(failure.stderr).not.toContain('CANARY');
  });
});
