import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';

import type { CommandHandler } from './command/command.ts';
import type { IdempotencyStore } from './idempotency/idempotency-store.ts';
import { composeMessaging, type Messaging, type MessagingHealth } from './messaging.ts';
import type { MessagingOptions } from './messaging-options.ts';

/**
 * The bus as a custom transport strategy of Nest: ordinary `@MessagePattern('<command type>')` methods serve
 * the commands, with pipes, guards, interceptors and filters. A handler returns its reply, or an async
 * iterable of replies of which the last is final.
 */
export class PokerTransport extends Server implements CustomTransportStrategy {
  override readonly transportId = Symbol('poker-bridge');
  /** Samples all queues of the service; undefined if the broker does not answer. */
  readonly queueOverview: Messaging['queueOverview'];
  /** By command type. */
  readonly #handlers = new Map<string, CommandHandler>();
  /** The hook of Nest's base class, to find out whether it was replaced. */
  readonly #noStartHook = this.onProcessingStartHook;
  readonly #messaging: Messaging;
  #closed: Promise<void> | undefined;

  constructor(options: MessagingOptions, idempotency: IdempotencyStore) {
    super();
    this.#messaging = composeMessaging(options, idempotency, this.#handlers);
    this.queueOverview = this.#messaging.queueOverview;
  }

  get health(): MessagingHealth {
    return this.#messaging.health();
  }

  /**
   * Starts to serve. The callback runs at once, also without a broker: the transport keeps connecting, as
   * `health` shows.
   */
  listen(callback: () => void): void {
    for (const [pattern, handler] of this.messageHandlers) this.#handlers.set(pattern, this.#hooked(handler));
    this.#messaging.start();
    callback();
  }

  /** Stops once, however often it is called: Nest closes a strategy again when it closes the application. */
  close(): Promise<void> {
    return (this.#closed ??= this.#messaging.stop());
  }

  /** There are no events of the client library to listen to; see `health` and the observer. */
  on(): never {
    throw new Error('PokerTransport has no client events; bind a MessagingObserver instead.');
  }

  unwrap<T>(): T {
    return this.#messaging.broker as T;
  }

  /**
   * Returns a handler that runs between the hooks that Nest's own transports call; the handler itself if none
   * was set.
   */
  #hooked(handler: MessageHandler): CommandHandler {
    if (!this.onProcessingEndHook && this.onProcessingStartHook === this.#noStartHook) return handler;
    // A hook need not return the result of the function that it is given, so the result is passed on
    // separately.
    return (data, command) =>
      new Promise((resolve, reject) => {
        this.onProcessingStartHook(this.transportId, command as never, async () => {
          await handler(data, command).then(resolve, reject);
          this.onProcessingEndHook?.(this.transportId, command as never);
        });
      });
  }
}
