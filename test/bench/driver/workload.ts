import type { Channel, ConsumeMessage, Options } from 'amqplib';

import { sessionOf } from '../../support/platform-stub.ts';

/** What became of the commands that were sent. All but `right` of those that are answered is a fault. */
export interface Tally {
  readonly sent: number;
  /** Commands whose first final answer was theirs. */
  readonly right: number;
  /** Commands whose first final answer was an error or another command's. */
  readonly wrong: number;
  /** Final answers beyond the first. */
  readonly double: number;
  /** Answers to what was never sent. */
  readonly stray: number;
  /** Commands without a final answer so far. */
  readonly missing: number;
}

/** Holds the answers against the commands: each is to get exactly one, and the right one. */
export class Ledger {
  readonly #isAnswered: boolean[] = [];
  readonly #counts = { right: 0, wrong: 0, double: 0, stray: 0 };

  /** @returns the number of the command that is sent next */
  next(): number {
    return this.#isAnswered.push(false) - 1;
  }

  /** @returns whether it was the first answer to this command */
  answered(sequence: number, isRight: boolean): boolean {
    const isAnswered = this.#isAnswered[sequence];
    if (isAnswered === undefined) this.#counts.stray += 1;
    else if (isAnswered) this.#counts.double += 1;
    else {
      this.#isAnswered[sequence] = true;
      this.#counts[isRight ? 'right' : 'wrong'] += 1;
      return true;
    }
    return false;
  }

  get missing(): number {
    return this.#isAnswered.length - this.#counts.right - this.#counts.wrong;
  }

  get tally(): Tally {
    return { sent: this.#isAnswered.length, ...this.#counts, missing: this.missing };
  }
}

/** Whether each command got exactly one answer, the right one. */
export function isFaultless({ sent, right, double, stray }: Tally): boolean {
  return right === sent && double === 0 && stray === 0;
}

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

/**
 * `session.create` of another player each time; right is the answer with this player and the
 * session that the platform gave him.
 */
export const sessionWorkload = (): Workload => ({
  command: (sequence) => ({
    type: 'session.create',
    data: { userId: playerOf(sequence), nick: `Ace ${sequence}`, lang: 'en', currency: 'EUR' },
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
    publish: (channel, { type, data }, options) => {
      const packet = { pattern: type, data, id: options.correlationId };
      channel.sendToQueue(queue, bodyOf(packet), options);
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
