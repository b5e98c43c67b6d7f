import type { CommandType } from '@poker-bridge/contracts';

import { Caller } from '../caller.ts';
import type { CallerOptions } from '../caller-options.ts';
import type { PreparedCommand } from '../command.ts';
import type { Link, ReportQueue } from '../link.ts';
import type { Replies } from '../replies.ts';
import type { ReplyDelivery } from '../reply.ts';
import type { Answer, ReceivedCommand } from './answers.ts';
import { Script } from './script.ts';

export type TestCallerOptions = Partial<Omit<CallerOptions, 'url' | 'tls' | 'onState'>>;

/**
 * A caller without a broker, for tests of a service. A script replaces the worker; everything else is the
 * code of `Caller`: types, deadlines, signals, retries, joined calls, reports, `onReply` and `onCall`.
 */
export class TestCaller extends Caller {
  readonly #script: Script;

  constructor(options: TestCallerOptions = {}) {
    const script = new Script();
    super({ name: 'test', ...options, url: 'amqp://127.0.0.1' }, (all, replies) => {
      return new ScriptedLink(script, replies, `${all.name}.replies.${all.instance ?? 0}`);
    });
    this.#script = script;
  }

  /** All commands sent, oldest first; each retry is a separate entry. */
  get received(): readonly ReceivedCommand[] {
    return this.#script.received;
  }

  /**
   * Sets the answers to the next attempts of a command; the last one is repeated. Without a script, commands
   * succeed with example data, and a report is empty.
   */
  script<T extends CommandType>(type: T, ...answers: readonly [Answer<T>, ...Answer<T>[]]): this {
    this.#script.set(type, ...answers);
    return this;
  }
}

/** Returns a caller without a broker, for tests of a service. */
export function createTestCaller(options: TestCallerOptions = {}): TestCaller {
  return new TestCaller(options);
}

type Handle = (delivery: ReplyDelivery) => Promise<void>;

/** Passes each command to the script, and delivers its replies to the queue named by the command. */
class ScriptedLink implements Link {
  readonly replyQueue: string;
  readonly lastError = undefined;
  readonly fault = undefined;
  readonly #script: Script;
  readonly #queues = new Map<string, Handle>();

  constructor(script: Script, replies: Replies, replyQueue: string) {
    this.#script = script;
    this.replyQueue = replyQueue;
    this.#queues.set(replyQueue, (delivery) => replies.take(delivery));
  }

  async ready(signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    return this.replyQueue;
  }

  async publish({ properties, body }: PreparedCommand, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const queue = properties.replyTo || this.replyQueue;
    const replies = this.#script.repliesTo({ properties, content: Buffer.from(body) });
    void replies.then((messages) => this.#deliver(queue, messages));
  }

  reportQueue(name: string, handle: Handle): ReportQueue {
    return {
      open: async (signal) => {
        signal.throwIfAborted();
        this.#queues.set(name, handle);
      },
      leave: async () => void this.#queues.delete(name),
    };
  }

  async close(): Promise<void> {
    this.#queues.clear();
  }

  /** Delivers messages one at a time, and redelivers a message if the handler fails, like a broker. */
  async #deliver(queue: string, messages: readonly ReplyDelivery['message'][]): Promise<void> {
    for (const message of messages) {
      for (let isAcknowledged = false; !isAcknowledged;) {
        const handle = this.#queues.get(queue);
        if (!handle) return;
        await handle({ message, acknowledge: () => (isAcknowledged = true) }).catch(() => undefined);
      }
    }
  }
}
