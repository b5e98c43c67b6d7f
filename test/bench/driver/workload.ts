import type { Channel, ConsumeMessage, Options } from 'amqplib';

import { sessionOf } from '../../support/platform-stub.ts';

/** One command as the driver sends it, whatever worker takes it. */
export interface BenchCommand {
  readonly type: string;
  readonly data: object;
  readonly headers?: Readonly<Record<string, unknown>>;
}

/** What the driver sends, and how it knows that an answer is right. */
export interface Workload {
  /** @param sequence counts from 0; commands of different numbers have different answers */
  command(sequence: number): BenchCommand;
  isRight(sequence: number, answer: unknown): boolean;
}

/** The operator of that number, counted from 0. */
export function operatorOf(index: number): string {
  return index === 0 ? 'default' : `operator-${index}`;
}

/**
 * `session.create` of another player each time, for each operator in turn; right is the answer with this player and the
 * session that the platform gave him.
 */
export const sessionWorkload = (operators = 1): Workload => ({
  command: (sequence) => ({
    type: 'session.create',
    data: { userId: playerOf(sequence), nick: `Ace ${sequence}`, lang: 'en', currency: 'EUR' },
    ...(operators > 1 && { headers: { operator: operatorOf(sequence % operators) } }),
  }),
  isRight: (sequence, answer) => {
    const expected = sessionOf(playerOf(sequence));
    const { userId, sessionId, auth, redirectUrl } = (answer ?? {}) as Record<string, unknown>;
    return (
      userId === expected['user-id'] &&
      sessionId === expected['session-id'] &&
      auth === expected.auth &&
      redirectUrl === expected['redirect-url']
    );
  },
});

function playerOf(sequence: number): string {
  return `player-${sequence}`;
}

/** How one kind of worker is spoken to. */
export interface Dialect {
  publish(channel: Channel, command: BenchCommand, options: Options.Publish): void;
  /** `undefined` for a reply that is not the last one of its command. */
  readFinal(message: ConsumeMessage): { readonly answer: unknown } | undefined;
}

/** The bus contract: published to the exchange of the commands, final if the header says so. */
export function busDialect(prefix: string): Dialect {
  const exchange = `${prefix}.commands`;
  return {
    publish: (channel, { type, data, headers }, options) => {
      channel.publish(exchange, type, bodyOf(data), { ...options, headers });
    },
    readFinal: ({ properties, content }) =>
      properties.headers?.['final'] === true ? { answer: parse(content) } : undefined,
  };
}

/** A plain worker of one queue: the body is the data, and each reply the only one. */
export function queueDialect(queue: string): Dialect {
  return {
    publish: (channel, { type, data, headers }, options) => {
      channel.sendToQueue(queue, bodyOf(data), { ...options, type, headers });
    },
    readFinal: ({ content }) => ({ answer: parse(content) }),
  };
}

/** The packets of Nest's own client, to its own transport. */
export function nestDialect(queue: string): Dialect {
  return {
    publish: (channel, { type, data, headers }, options) => {
      const packet = { pattern: type, data, id: options.correlationId };
      channel.sendToQueue(queue, bodyOf(packet), { ...options, headers });
    },
    readFinal: ({ content }) => {
      const { response, err, isDisposed } = parse(content) as Record<string, unknown>;
      return isDisposed === true ? { answer: response ?? err } : undefined;
    },
  };
}

function bodyOf(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function parse(content: Buffer): unknown {
  return JSON.parse(content.toString());
}
