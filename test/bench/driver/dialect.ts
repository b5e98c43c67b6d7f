import type { Channel, ConsumeMessage, Options } from 'amqplib';

import type { BenchCommand } from './workload.ts';

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
