import { randomUUID } from 'node:crypto';

import { expect } from '@jest/globals';
import type { Channel, ChannelModel, ConsumeMessage, Options } from 'amqplib';

import { openConnection, testBrokerCtl } from '../../support/broker.ts';
import type { ServiceUnderTest } from '../../support/service-under-test.ts';
import { runCli } from '../cli/run-cli.ts';

const PASSWORD = 'secret-of-a-test';

/** A caller with a user of its own on the broker, and with one reply queue, `<user>.replies`. */
export class BrokerUser implements AsyncDisposable {
  readonly name: string;
  readonly url: string;
  readonly replies: ConsumeMessage['properties'][] = [];
  readonly bodies: Record<string, unknown>[] = [];
  readonly connection: ChannelModel;
  readonly #channel: Channel;
  readonly #service: ServiceUnderTest;

  private constructor(
    name: string,
    url: string,
    connection: ChannelModel,
    channel: Channel,
    service: ServiceUnderTest,
  ) {
    this.name = name;
    this.url = url;
    this.connection = connection;
    this.#channel = channel;
    this.#service = service;
  }

  get replyQueue(): string {
    return `${this.name}.replies`;
  }

  /** @param permission an argument list of `rabbitmqctl`, `set_permissions` and what follows */
  static async create(
    name: string,
    permission: readonly string[],
    service: ServiceUnderTest,
  ): Promise<BrokerUser> {
    await testBrokerCtl('add_user', name, PASSWORD);
    await testBrokerCtl(...permission);
    const url = new URL(service.url);
    [url.username, url.password] = [name, PASSWORD];
    const { connection } = await openConnection(url.href);
    connection.on('error', () => undefined);
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    const user = new BrokerUser(name, url.href, connection, channel, service);
    await channel.assertQueue(user.replyQueue, { exclusive: true });
    await channel.consume(user.replyQueue, (message) => message && user.#take(message), { noAck: true });
    return user;
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
    await testBrokerCtl('delete_user', this.name);
  }

  #take({ properties, content }: ConsumeMessage): void {
    this.replies.push(properties);
    this.bodies.push(JSON.parse(content.toString()) as Record<string, unknown>);
  }
}

/** What `poker-bridge callers permissions` prints for a file, by user: the arguments of `rabbitmqctl`. */
export async function printedPermissions(
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
