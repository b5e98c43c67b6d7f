import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { Program } from '../../scripts/processes/program.ts';
import { root } from '../../scripts/root.ts';
import { CallerProject } from '../contracts/packed-package.ts';
import { read } from '../docs/markdown.ts';
import { startSandboxedService } from '../e2e/commands/sandboxed-service.ts';
import { openConnection } from '../support/broker.ts';
import { installFromNpm } from '../support/npm-project.ts';
import { startPostgres } from '../support/private-postgres.ts';
import { until } from '../support/until.ts';

interface Database {
  connect(): Promise<void>;
  query(text: string, values?: readonly unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
  end(): Promise<void>;
}
type Postgres = { readonly default: { readonly Client: new (url: string) => Database } };

describe('examples/outbox', () => {
  const project = new CallerProject();
  const stack = new AsyncDisposableStack();
  let service: Awaited<ReturnType<typeof startSandboxedService>>;
  let database: Database;
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const worker = { PLATFORM_MAX_ATTEMPTS: '1' };
    const install = async () => {
      for (const lib of ['contracts', 'rabbitmq', 'caller']) await project.install(`libs/${lib}`);
      await cp(join(root, 'examples/outbox'), project.path, { recursive: true });
    };
    const [modules] = await Promise.all([installFromNpm('pg', ['pg@8.23.1']), install()]);
    await project.linkFrom(modules, 'pg');
    const postgres = stack.use(await startPostgres());
    service = stack.use(await startSandboxedService({ worker }));
    const { default: pg } = (await import(pathToFileURL(join(modules, 'pg/esm/index.mjs')).href)) as Postgres;
    database = new pg.Client(postgres.url);
    await database.connect();
    await database.query(read('examples/outbox/schema.sql'));
    const { url: AMQP_URL, prefix: AMQP_PREFIX } = service.service;
    env = { AMQP_URL, AMQP_PREFIX, DATABASE_URL: postgres.url };
  });

  afterAll(async () => {
    await database?.end();
    await using bus = await openConnection();
    await bus.channel.deleteQueue('example-outbox.replies.relay');
    await stack.disposeAsync();
    project[Symbol.dispose]();
  });

  const insert = (id: string, data: object) =>
    database.query("INSERT INTO outbox (id, type, data) VALUES ($1, 'session.create', $2)", [id, data]);
  const row = async (id: string) =>
    (await database.query('SELECT state, attempts, error FROM outbox WHERE id = $1', [id])).rows[0];
  const relay = () => new Program(process.execPath, [join(project.path, 'relay.mjs')], env);

  it('relays commands stored while it was down, and retries retryable failures', async () => {
    await insert('invalid', { userId: '' });
    await insert('retried', { userId: 'alice' });
    await service.platform.fault({ operation: 'session', kind: 'status', status: 503, count: 2 });
    await using running = relay();
    await running.says(/(relaying)/);
    await until('the retried command is done', async () => (await row('retried'))?.['state'] === 'done');
    expect(await row('retried')).toEqual({ state: 'done', attempts: 3, error: null });
    expect(await row('invalid')).toEqual({ state: 'failed', attempts: 1, error: 'VALIDATION_FAILED' });
    const replies = await database.query("SELECT type FROM inbox WHERE command_id = 'retried' ORDER BY type");
    expect(replies.rows.map(({ type }) => type)).toEqual([
      'command.failed',
      'command.failed',
      'session.created',
    ]);
  });

  it('receives replies from the time of its downtime after a restart, and calls the platform once', async () => {
    const before = await service.platform.received('session');
    await service.platform.fault({ operation: 'session', kind: 'latency', fixedMs: 1_000, count: 1 });
    await insert('restarted', { userId: 'bob' });
    {
      await using killed = relay();
      await until('it is sent', async () => (await service.platform.received('session')) > before);
      killed.kill('SIGKILL');
    }
    await using next = relay();
    await next.says(/(relaying)/);
    await until('the command is done', async () => (await row('restarted'))?.['state'] === 'done');
    expect((await service.platform.received('session')) - before).toBe(1);
  });
});
