import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from '@jest/globals';
import type { Channel, ChannelModel, ConsumeMessage, Options } from 'amqplib';

import { openConnection, testBrokerCtl, type TestConnection } from '../../support/broker.ts';
import { healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { runCli } from '../cli/run-cli.ts';

const PASSWORD = 'secret-of-a-test';

/** A caller with a user of its own on the broker, which lasts as long as the broker of the run, and with one reply queue. */
export class BrokerUser implements AsyncDisposable {
  readonly name: string;
  readonly url: string;
  readonly replies: ConsumeMessage['properties'][] = [];
  readonly bodies: Record<string, unknown>[] = [];
  readonly connection: ChannelModel;
  readonly replyQueue: string;
  readonly #channel: Channel;
  readonly #service: ServiceUnderTest;

  private constructor(
    name: string,
    url: string,
    bus: TestConnection,
    queue: string,
    service: ServiceUnderTest,
  ) {
    this.name = name;
    this.url = url;
    this.connection = bus.connection;
    this.replyQueue = queue;
    this.#channel = bus.channel;
    this.#service = service;
  }

  /**
   * @param permission an argument list of `rabbitmqctl`, `set_permissions` and what follows
   * @param queue its reply queue; default `<user>.replies`, an empty name has the broker name it
   */
  static async create(
    name: string,
    permission: readonly string[],
    service: ServiceUnderTest,
    queue = `${name}.replies`,
  ): Promise<BrokerUser> {
    const url = await addUser(name, permission, service.url);
    const bus = await openConnection(url);
    const declared = await bus.channel.assertQueue(queue, { exclusive: true });
    const user = new BrokerUser(name, url, bus, declared.queue, service);
    await bus.channel.consume(user.replyQueue, (message) => message && user.#take(message), { noAck: true });
    return user;
  }

  /** A channel that the broker closes with its refusal. */
  async channel(): Promise<Channel> {
    return (await this.connection.createChannel()).on('error', () => undefined);
  }

  /** Publishes a command under its own name, as the broker checks it. */
  send(type: string, data: object, options: Options.Publish = {}): void {
    this.#channel.publish(this.#service.name('commands'), type, Buffer.from(JSON.stringify(data)), {
      replyTo: this.replyQueue,
      messageId: randomUUID(),
      userId: this.name,
      ...options,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.connection.close().catch(() => undefined);
  }

  #take({ properties, content }: ConsumeMessage): void {
    this.replies.push(properties);
    this.bodies.push(JSON.parse(content.toString()) as Record<string, unknown>);
  }
}

/** A service with a file of callers, whose users have what `poker-bridge callers permissions` prints. */
export class ServiceWithCallers implements AsyncDisposable {
  readonly service: ServiceUnderTest;
  /** What `CALLERS_FILE` names. */
  readonly file: string;
  readonly #folder: string;
  readonly #users: BrokerUser[] = [];
  #printed: ReadonlyMap<string, readonly string[]> = new Map();

  private constructor(service: ServiceUnderTest, folder: string) {
    this.service = service;
    this.#folder = folder;
    this.file = join(folder, 'callers.json');
  }

  /** @param pages of a report */
  static async start(
    pages = 1,
    variables: Readonly<Record<string, string>> = {},
  ): Promise<ServiceWithCallers> {
    const folder = await mkdtemp(join(tmpdir(), 'callers-'));
    const service = await ServiceUnderTest.start({ behaviour: healthy(pages), variables });
    return new ServiceWithCallers(service, folder);
  }

  /** Writes a file beside `CALLERS_FILE`. @returns its path */
  async write(name: string, content: object): Promise<string> {
    await writeFile(join(this.#folder, name), JSON.stringify(content));
    return join(this.#folder, name);
  }

  /** Writes the rules, and starts a worker with them under a broker user of its own, which has no more than is printed. */
  async startWorker(callers: object, variables: Readonly<Record<string, string>> = {}): Promise<void> {
    const { service, file } = this;
    await this.write('callers.json', { callers });
    const worker = `worker-${service.prefix}`;
    const url = new URL(service.url);
    [url.username, url.password] = [worker, PASSWORD];
    const asked = { AMQP_URL: url.href, AMQP_PREFIX: service.prefix, CALLERS_FILE: file };
    this.#printed = await printedPermissions(asked);
    expect([...this.#printed.keys()]).toEqual([worker, ...Object.keys(callers)]);
    await addUser(worker, this.#printed.get(worker) ?? [], service.url);
    await service.worker({ ...asked, ...variables });
  }

  /** A user with the permissions that are printed for it. @param queue its reply queue */
  async user(name: string, queue?: string): Promise<BrokerUser> {
    const user = await BrokerUser.create(name, this.#printed.get(name) ?? [], this.service, queue);
    this.#users.push(user);
    return user;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
    for (const user of this.#users) await user[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true });
  }
}

/** @returns the URL under which the user connects */
async function addUser(name: string, permission: readonly string[], broker: string): Promise<string> {
  await testBrokerCtl('add_user', name, PASSWORD);
  await testBrokerCtl(...permission);
  const url = new URL(broker);
  [url.username, url.password] = [name, PASSWORD];
  return url.href;
}

/** What `poker-bridge callers permissions` prints for a file, by user: the arguments of `rabbitmqctl`. */
async function printedPermissions(
  variables: Readonly<Record<'AMQP_URL' | 'AMQP_PREFIX' | 'CALLERS_FILE', string>>,
): Promise<ReadonlyMap<string, readonly string[]>> {
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
