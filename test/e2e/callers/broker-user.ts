import { join } from 'node:path';

import { expect } from '@jest/globals';
import type { Channel, Options } from 'amqplib';

import { testBrokerCtl } from '../../support/broker.ts';
import { BusCaller } from '../../support/bus-caller.ts';
import { healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { runCli } from '../cli/run-cli.ts';

const PASSWORD = 'secret-of-a-test';

/** A caller with its own broker user and one reply queue. */
export type BrokerUser = Awaited<ReturnType<typeof openUser>>;

/**
 * @param name a user named in the rules of a worker
 * @param queue its reply queue, default `<user>.replies`; with an empty name, the broker generates one
 */
async function openUser(name: string, service: ServiceUnderTest, queue = `${name}.replies`) {
  const url = urlOf(name, service.url);
  const bus = await BusCaller.open(url, service.prefix, queue);
  return {
    name,
    url,
    bus,
    /** Opens a channel, which the broker closes when it refuses an operation. */
    channel: async (): Promise<Channel> =>
      (await bus.connection.createChannel()).on('error', () => undefined),
    /** Publishes a command with its own user id, which the broker checks. */
    publish: (type: string, data: object, options: Options.Publish): void =>
      bus.publish(type, data, { userId: name, ...options }),
    /** Publishes a command with its own user id and waits for its one reply. */
    send: (type: string, data: object, options: Options.Publish = {}) =>
      bus.sendForOne(type, data, { userId: name, ...options }),
    [Symbol.asyncDispose]: () => bus[Symbol.asyncDispose](),
  };
}

export type ServiceWithCallers = Awaited<ReturnType<typeof startWithCallers>>;

/**
 * Starts a service with a callers file, whose users have the permissions that `poker-bridge callers
 * permissions` prints.
 */
export async function startWithCallers() {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryFolder());
  const users = stack.use(new AsyncDisposableStack());
  const service = stack.use(await ServiceUnderTest.start({ behaviour: healthy(1) }));
  const stop = stack.move();
  /** Writes `CALLERS_FILE`. @returns its path */
  const write = (content: object): string => folder.write('callers.json', JSON.stringify(content));
  return {
    service,
    file: join(folder.path, 'callers.json'),
    write,
    /**
     * Writes the rules and starts a worker with its own broker user, which has only the printed permissions.
     */
    async startWorker(callers: object): Promise<void> {
      const worker = `worker-${service.prefix}`;
      const url = urlOf(worker, service.url);
      const variables = { AMQP_URL: url, AMQP_PREFIX: service.prefix, CALLERS_FILE: write({ callers }) };
      const printed = await printedPermissions(variables);
      expect(printed.map(([name]) => name)).toEqual([worker, ...Object.keys(callers)]);
      await addUsers(printed);
      await service.worker(variables);
    },
    /** Returns a user with the permissions printed for it. @param queue its reply queue */
    user: async (name: string, queue?: string): Promise<BrokerUser> =>
      users.use(await openUser(name, service, queue)),
    [Symbol.asyncDispose]: () => stop.disposeAsync(),
  };
}

/**
 * Adds all users in one call, because rabbitmqctl takes almost a second to start. They exist as long as the
 * broker of the run.
 */
async function addUsers(permissions: readonly (readonly string[])[]): Promise<void> {
  await testBrokerCtl(
    'eval',
    `[begin [Name | Patterns] = [list_to_binary(Text) || Text <- Each], ` +
      `ok = rabbit_auth_backend_internal:add_user(Name, <<"${PASSWORD}">>, <<"a test">>), ` +
      `ok = apply(rabbit_auth_backend_internal, set_permissions, [Name, <<"/">> | Patterns ++ [<<"a test">>]]) ` +
      `end || Each <- ${JSON.stringify(permissions)}].`,
  );
}

function urlOf(name: string, broker: string): string {
  const url = new URL(broker);
  [url.username, url.password] = [name, PASSWORD];
  return url.href;
}

/**
 * Returns the output of `poker-bridge callers permissions` for a file: each user with its permission
 * patterns.
 */
async function printedPermissions(variables: Readonly<Record<string, string>>) {
  const { stdout, code } = await runCli(['callers', 'permissions'], { variables });
  expect(code).toBe(0);
  const words = /^rabbitmqctl set_permissions --vhost '\/' '(\S+)' '(\S+)' '(\S+)' '(\S+)'$/gm;
  return [...stdout.matchAll(words)].map(([, ...each]) => each);
}
