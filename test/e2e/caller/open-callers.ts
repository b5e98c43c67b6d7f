import { randomUUID } from 'node:crypto';

import { type BusReply, type Caller, type CallerOptions, createCaller } from '#caller';

import { openConnection, uniquePrefix } from '../../support/broker.ts';
import type { ServiceUnderTest } from '../../support/service-under-test.ts';

/** Without an instance if it is `undefined`. */
type Options = Partial<Omit<CallerOptions, 'instance'>> & { readonly instance?: string | undefined };

/** The callers of a suite; closed, and their reply queues removed, at its end. */
export class OpenCallers implements AsyncDisposable {
  readonly name = uniquePrefix();
  readonly #service: ServiceUnderTest;
  readonly #opened: Caller[] = [];

  constructor(service: ServiceUnderTest) {
    this.#service = service;
  }

  /** By default with a reply queue of its own. */
  open(options: Options = {}): Caller {
    const { url, prefix } = this.#service;
    const all = { url, prefix, name: this.name, instance: randomUUID(), ...options };
    const { instance, ...rest } = all;
    const caller = createCaller(instance === undefined ? rest : { ...rest, instance });
    this.#opened.push(caller);
    return caller;
  }

  /** One that collects the replies that no call awaits. */
  collecting(options: Options = {}): { inbox: Caller; replies: BusReply[] } {
    const replies: BusReply[] = [];
    return { inbox: this.open({ ...options, onReply: (reply) => void replies.push(reply) }), replies };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#opened.map((caller) => caller.close()));
    await using bus = await openConnection(this.#service.url);
    for (const caller of this.#opened) {
      const queue = queueOf(caller);
      if (queue !== undefined) await bus.channel.deleteQueue(queue);
    }
  }
}

/** A caller that never connected has none. */
function queueOf(caller: Caller): string | undefined {
  try {
    return caller.replyQueue;
  } catch {
    return undefined;
  }
}
