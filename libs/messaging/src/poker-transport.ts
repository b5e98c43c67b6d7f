import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { PARAM_ARGS_METADATA } from '@nestjs/microservices/constants';

import type { BusLook } from './kept/bus-look.ts';
import { Messaging, type MessagingHealth } from './messaging.ts';
import type { MessagingOptions } from './messaging-options.ts';
import type { CommandHandler } from './command/command.ts';

/**
 * The bus as a transport of Nest: ordinary `@MessagePattern('<command type>')` methods serve the commands, with
 * pipes, guards, interceptors and filters as everywhere. A handler returns its reply, or an async iterable of
 * replies of which the last is final.
 */
export class PokerTransport extends Server implements CustomTransportStrategy {
  override readonly transportId = Symbol('poker-bridge');
  readonly #handlers = new Map<string, CommandHandler>();
  readonly #messaging: Messaging;
  /** What Nest's base class begins with. */
  readonly #noStartHook = this.onProcessingStartHook;
  #closed: Promise<void> | undefined;

  constructor(options: MessagingOptions) {
    super();
    this.#messaging = new Messaging(options, this.#handlers);
  }

  get health(): MessagingHealth {
    return this.#messaging.health;
  }

  /** What the broker knows of the whole service; `undefined` if it does not answer. */
  look(): Promise<BusLook | undefined> {
    return this.#messaging.look();
  }

  /** Begins to serve. The callback runs at once: a broker that is away is waited for, and told by `health`. */
  listen(callback: () => void): void {
    for (const [pattern, handler] of this.messageHandlers) {
      this.#handlers.set(pattern, (data, command) => this.#call(handler, data, command));
    }
    this.#messaging.start();
    callback();
  }

  /** Stops once, however often it is asked: Nest closes a strategy again when it closes the application. */
  close(): Promise<void> {
    return (this.#closed ??= this.#messaging.stop());
  }

  /** There are no events of the client library to listen to; see `health` and the observer. */
  on(): never {
    throw new Error('PokerTransport has no client events; bind a MessagingObserver instead.');
  }

  unwrap<T>(): T {
    return this.#messaging as T;
  }

  /** Runs a Nest handler between the hooks that Nest's own transports call, if they are set. */
  #call(handler: MessageHandler, ...[data, command]: Parameters<CommandHandler>): Promise<unknown> {
    if (!this.onProcessingEndHook && this.onProcessingStartHook === this.#noStartHook)
      return handler(data, command);
    // A hook need not hand on what it is given to run, so the result takes a way of its own.
    return new Promise((resolve, reject) => {
      this.onProcessingStartHook(this.transportId, command as never, async () => {
        await handler(data, command).then(resolve, reject);
        this.onProcessingEndHook?.(this.transportId, command as never);
      });
    });
  }
}

/**
 * Has Nest call a handler with the data and the `CommandContext` as they are: data are valid by then. With parameters that
 * have decorators, Nest awaits a pipe for each, if there is none, too: a fifth of the promises of a command.
 */
export function WithoutPipes(): MethodDecorator {
  return (target, name) => Reflect.defineMetadata(PARAM_ARGS_METADATA, {}, target.constructor, name);
}
