import { ConfigurableModuleBuilder, Inject, Injectable, Module } from '@nestjs/common';
import { ClientProxy, type ReadPacket, RmqRecord, type WritePacket } from '@nestjs/microservices';
import { isCommandType, LANE_OF_COMMAND } from '@poker-bridge/contracts';

import { Caller, createCaller } from '../caller.ts';
import type { CallerOptions } from '../caller-options.ts';
import type { PlayerCommand, ReportCommand } from '../command.ts';
import { CallerHealthIndicator } from './caller-health-indicator.ts';

export { CallerErrorFilter, httpStatusOf } from './caller-error-filter.ts';
export { CallerHealthIndicator } from './caller-health-indicator.ts';

type Callback = (packet: WritePacket) => void;

/**
 * Nest's `ClientProxy` over a `Caller`. Commands go through the exchange of commands, so the service needs no
 * permission on the default exchange. Replies arrive in the durable queue of the instance.
 *
 * `send('session.create', data)` returns an Observable of the reply; for a report, it emits the pages and
 * then the summary. An Observable has no backpressure, so use the caller for long reports. It fails with a
 * `CallerError`. The data may be an `RmqRecord` with `messageId` and the headers `operator`, `traceparent`
 * and `tracestate`. Unsubscribing ends the wait.
 */
@Injectable()
export class CallerClientProxy extends ClientProxy {
  readonly #caller: Caller;

  constructor(@Inject(Caller) caller: Caller) {
    super();
    this.#caller = caller;
  }

  override connect(): Promise<void> {
    return this.#caller.ready();
  }

  override close(): Promise<void> {
    return this.#caller.close();
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  override unwrap<T = Caller>(): T {
    return this.#caller as T;
  }

  protected override publish(packet: ReadPacket, callback: Callback): () => void {
    const leaving = new AbortController();
    const fail = (err: unknown): void => callback({ err, isDisposed: true });
    this.#answer(packet, leaving.signal, callback).catch(fail);
    return () => leaving.abort();
  }

  /** Publishes the command; the caller's `onReply` receives its reply. */
  protected override async dispatchEvent<T>(packet: ReadPacket): Promise<T> {
    const { type, body, options } = read(packet);
    return (await this.#caller.publish(this.#caller.prepare(type, body, options))) as T;
  }

  async #answer(packet: ReadPacket, signal: AbortSignal, callback: Callback): Promise<void> {
    const { type, body, options } = read(packet);
    if (LANE_OF_COMMAND[type] === 'interactive') {
      const reply = await this.#caller.request(type as PlayerCommand, body, { ...options, signal });
      return callback({ response: reply, isDisposed: true });
    }
    const report = this.#caller.fetchReport(type as ReportCommand, body, { ...options, signal });
    for await (const page of report) callback({ response: page });
    callback({ response: report.summary, isDisposed: true });
  }
}

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<CallerOptions>()
  .setClassMethodName('forRoot')
  .setExtras({ isGlobal: false }, (definition, { isGlobal }) => ({ ...definition, global: isGlobal }))
  .build();

/**
 * Provides `Caller`, `CallerClientProxy` and `CallerHealthIndicator`, and closes the caller when the
 * application shuts down.
 */
@Module({
  providers: [
    { provide: Caller, inject: [MODULE_OPTIONS_TOKEN], useFactory: createCaller },
    CallerClientProxy,
    CallerHealthIndicator,
  ],
  exports: [Caller, CallerClientProxy, CallerHealthIndicator],
})
export class CallerModule extends ConfigurableModuleClass {}

/**
 * The async options, as in Nest's own modules. With `isGlobal` (default false), other modules need not import
 * this one.
 */
export type CallerModuleAsyncOptions = Parameters<typeof CallerModule.forRootAsync>[0];

function read({ pattern, data }: ReadPacket) {
  if (!isCommandType(pattern)) throw new TypeError(`no command has the pattern ${JSON.stringify(pattern)}`);
  const record = data instanceof RmqRecord ? data : new RmqRecord(data as unknown);
  const { messageId: id, headers: { operator, traceparent, tracestate } = {} } = record.options ?? {};
  const traceContext = traceparent === undefined ? undefined : { traceparent, tracestate };
  return { type: pattern, body: record.data as never, options: { id, operator, traceContext } };
}
