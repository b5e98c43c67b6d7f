import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

import { expect } from '@jest/globals';
import type { Channel, ConsumeMessage, Options } from 'amqplib';

import { openConnection, testBrokerCtl } from '../../support/broker.ts';
import { healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { runCli } from '../cli/run-cli.ts';

type Variables = Readonly<Record<string, string>>;

const PASSWORD = 'secret-of-a-test';

/** A caller with a user of its own on the broker, and with one reply queue. */
export type BrokerUser = Awaited<ReturnType<typeof createBrokerUser>>;

/**
 * @param name of a user whom the rules of a worker name
 * @param permission an argument list of `rabbitmqctl`, `set_permissions` and what follows
 * @param queue its reply queue; default `<user>.replies`, an empty name has the broker name it
 */
async function createBrokerUser(
  name: string,
  permission: readonly string[],
  service: ServiceUnderTest,
  queue = `${name}.replies`,
) {
  await testBrokerCtl(...permission);
  const url = urlOf(name, service.url);
  const { connection, channel } = await openConnection(url);
  const { queue: replyQueue } = await channel.assertQueue(queue, { exclusive: true });
  const replies: ConsumeMessage['properties'][] = [];
  const bodies: Record<string, unknown>[] = [];
  const take = (message: ConsumeMessage | null): void => {
    if (!message) return;
    replies.push(message.properties);
    bodies.push(JSON.parse(message.content.toString()) as Record<string, unknown>);
  };
  await channel.consume(replyQueue, take, { noAck: true });
  return {
    name,
    url,
    connection,
    replyQueue,
    replies,
    bodies,
    /** A channel that the broker closes with its refusal. */
    channel: async (): Promise<Channel> => (await connection.createChannel()).on('error', () => undefined),
    /** Publishes a command under its own name, as the broker checks it. */
    send(type: string, data: object, options: Options.Publish = {}): void {
      const named = { replyTo: replyQueue, messageId: randomUUID(), userId: name, ...options };
      channel.publish(service.name('commands'), type, Buffer.from(JSON.stringify(data)), named);
    },
    [Symbol.asyncDispose]: () => connection.close().catch(() => undefined),
  };
}

export type ServiceWithCallers = Awaited<ReturnType<typeof startWithCallers>>;

/**
 * A service with a file of callers, whose users have what `poker-bridge callers permissions` prints.
 *
 * @param pages of a report
 */
export async function startWithCallers(pages = 1, variables: Variables = {}) {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryFolder());
  const users = stack.use(new AsyncDisposableStack());
  const service = stack.use(await ServiceUnderTest.start({ behaviour: healthy(pages), variables }));
  let printed: ReadonlyMap<string, readonly string[]> = new Map();
  const stop = stack.move();
  /** Writes a file beside `CALLERS_FILE`. @returns its path */
  const write = (name: string, content: object): string => folder.write(name, JSON.stringify(content));
  return {
    service,
    /** What `CALLERS_FILE` names. */
    file: join(folder.path, 'callers.json'),
    write,
    /** Writes the rules, and starts a worker with them under a broker user of its own, which has no more than is printed. */
    async startWorker(callers: object, more: Variables = {}): Promise<void> {
      const worker = `worker-${service.prefix}`;
      const url = urlOf(worker, service.url);
      const CALLERS_FILE = write('callers.json', { callers });
      const asked = { AMQP_URL: url, AMQP_PREFIX: service.prefix, CALLERS_FILE };
      printed = await printedPermissions(asked);
      const names = [worker, ...Object.keys(callers)];
      expect([...printed.keys()]).toEqual(names);
      await addUsers(names);
      await testBrokerCtl(...(printed.get(worker) ?? []));
      await service.worker({ ...asked, ...more });
    },
    /** A user with the permissions that are printed for it. @param queue its reply queue */
    user: async (name: string, queue?: string): Promise<BrokerUser> =>
      users.use(await createBrokerUser(name, printed.get(name) ?? [], service, queue)),
    [Symbol.asyncDispose]: () => stop.disposeAsync(),
  };
}

/** All at once: rabbitmqctl takes most of a second to start. They last as long as the broker of the run. */
async function addUsers(names: readonly string[]): Promise<void> {
  await testBrokerCtl(
    'eval',
    `[ok = rabbit_auth_backend_internal:add_user(list_to_binary(Name), <<"${PASSWORD}">>, <<"a test">>) ` +
      `|| Name <- ${JSON.stringify(names)}].`,
  );
}

/** The URL under which the user connects. */
function urlOf(name: string, broker: string): string {
  const url = new URL(broker);
  [url.username, url.password] = [name, PASSWORD];
  return url.href;
}

/** What `poker-bridge callers permissions` prints for a file, by user: the arguments of `rabbitmqctl`. */
async function printedPermissions(variables: Variables): Promise<ReadonlyMap<string, readonly string[]>> {
  const { stdout, code } = await runCli(['callers', 'permissions'], { variables });
  expect(code).toBe(0);
  const lines = stdout.split('\n').filter((line) => line.startsWith('rabbitmqctl '));
  return new Map(
    lines.map((line) => {
      const [, ...args] = line.split(' ').map((word) => word.replaceAll("'", ''));
      return [args[3] ?? '', args];
    }),
  );
}
