import { createRequire } from 'node:module';
import type { ConnectionOptions } from 'node:tls';

import type * as api from '@opentelemetry/api';
import { busNames } from '@poker-bridge/contracts';
import { type ConnectionState, type ConnectionTls, readAddress } from '@poker-bridge/rabbitmq';

import type { CallerError } from './caller-error.ts';
import type { Sender, TraceContext } from './command.ts';
import type { ReplyHandler } from './replies.ts';
import type { CallEvent, RetryOptions } from './retries.ts';

const openTelemetry = load();

/**
 * Returns the trace context of the active OpenTelemetry span, so that the worker's spans belong to the same
 * trace. Empty without an active span, or if `@opentelemetry/api` is not installed.
 */
export function activeTraceContext(): TraceContext {
  const span = openTelemetry?.trace.getSpanContext(openTelemetry.context.active());
  if (!span || !openTelemetry?.isSpanContextValid(span)) return {};
  const flags = span.traceFlags.toString(16).padStart(2, '0');
  const tracestate = span.traceState?.serialize();
  return { traceparent: `00-${span.traceId}-${span.spanId}-${flags}`, ...(tracestate && { tracestate }) };
}

/**
 * Uses `require` because a dynamic import would make this module asynchronous, and unusable with `require`.
 */
function load(): typeof api | undefined {
  try {
    return createRequire(import.meta.url)('@opentelemetry/api') as typeof api;
  } catch {
    return undefined;
  }
}

export interface CallerOptions {
  /**
   * One or more `amqp://` or `amqps://` URLs, comma separated or as an array: the nodes of one cluster, tried
   * in turn.
   */
  readonly url: string | readonly string[];
  /** The name of your service, for example `shop`; its reply queues begin with this name and a dot. */
  readonly name: string;
  /**
   * The name of this process within the service. Each process has its own durable reply queue,
   * `<name>.replies.<instance>`, and uses it again after a restart. A second process with the same instance
   * fails with `INSTANCE_TAKEN`. Default: the lowest number that no other process uses.
   */
  readonly instance?: string;
  /** The prefix of the workers' exchanges and queues (their `AMQP_PREFIX`). Default: `poker`. */
  readonly prefix?: string;
  /** The operator whose credentials the worker uses. Default: the worker's, `default`. */
  readonly operator?: string;
  /**
   * True if commands contain the broker user in `user_id`, as the caller that `CALLERS_FILE` knows. Default:
   * false.
   */
  readonly sendUserId?: boolean;
  /** TLS options for `amqps`, such as a private certificate authority, a client certificate and its key. */
  readonly tls?: ConnectionOptions;
  /**
   * Returns the trace context of each command. Default: that of the active span, if `@opentelemetry/api` is
   * installed.
   */
  readonly traceContext?: () => TraceContext;
  /** Called for each reply that no call awaits. Without a handler, these replies are discarded. */
  readonly onReply?: ReplyHandler;
  /**
   * Called for each unreadable message in the reply queue. The message is acknowledged, and the call that it
   * belongs to fails with this error. Default: a process warning.
   */
  readonly onUnreadable?: ((error: CallerError) => void) | undefined;
  /** The default retry rules of calls; false disables retries. Default: true. */
  readonly retry?: RetryOptions | boolean | undefined;
  /**
   * Called for each retry and at the end of each call and report, for example for metrics. It must not throw.
   */
  readonly onCall?: ((event: CallEvent) => void) | undefined;
  /** Called when the state of one of the two connections changes, for example for a log or a health check. */
  readonly onState?: (connection: 'publishing' | 'consuming', state: ConnectionState) => void;
}

/**
 * Validates the options and returns the values that the caller uses.
 *
 * @throws TypeError if there is no URL, or if a name is invalid
 */
export function readOptions(options: CallerOptions) {
  const { name, instance, prefix = 'poker', operator, tls = {} } = options;
  const { traceContext = activeTraceContext, onState } = options;
  const urls = [options.url].flat().flatMap((url) => url.split(',').map((one) => one.trim()));
  const [address] = urls.map(addressOf);
  if (name === '' || instance === '') throw new TypeError('name and instance must not be empty');
  if (`${name}.`.startsWith(busNames(prefix).reserved)) {
    throw new TypeError(`name must not be ${prefix}: queues under it are the workers' own`);
  }
  const userId = options.sendUserId === true ? address?.user : undefined;
  const sender: Sender = { prefix, appId: name, operator, userId, traceContext };
  const connectionOf = (use: 'publishing' | 'consuming') => ({
    urls,
    tls: { material: tls as ConnectionTls['material'] },
    name: `${name} caller ${use}`,
    onState: (state: ConnectionState) => onState?.(use, state),
  });
  return { urls, sender, connectionOf };
}

/** Returns the options of one of the two connections. */
export type ConnectionOf = ReturnType<typeof readOptions>['connectionOf'];

function addressOf(url: string) {
  try {
    return readAddress(url);
  } catch (cause) {
    throw new TypeError(`url ${(cause as Error).message}`, { cause });
  }
}
