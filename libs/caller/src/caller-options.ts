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
 * The trace of the span that is active in a service with OpenTelemetry, so that what the worker does is part of it. Empty
 * without such a span, and in a service that has not installed `@opentelemetry/api`.
 */
export function activeTraceContext(): TraceContext {
  const span = openTelemetry?.trace.getSpanContext(openTelemetry.context.active());
  if (!span || !openTelemetry?.isSpanContextValid(span)) return {};
  const flags = span.traceFlags.toString(16).padStart(2, '0');
  const tracestate = span.traceState?.serialize();
  return { traceparent: `00-${span.traceId}-${span.spanId}-${flags}`, ...(tracestate && { tracestate }) };
}

/** An import that may fail would make this module asynchronous, and unusable by `require`. */
function load(): typeof api | undefined {
  try {
    return createRequire(import.meta.url)('@opentelemetry/api') as typeof api;
  } catch {
    return undefined;
  }
}

export interface CallerOptions {
  /** One or more, comma separated or as an array: the nodes of one cluster, tried in turn. `amqp://` or `amqps://`. */
  readonly url: string | readonly string[];
  /** Your service, for example `shop`: its reply queues begin with this name and a dot. */
  readonly name: string;
  /**
   * Which process of the service: each has a durable reply queue of its own, `<name>.replies.<instance>`, and finds it again
   * after a restart; a second one is refused with `INSTANCE_TAKEN`. Default: the lowest number that no other process has.
   */
  readonly instance?: string;
  /** The prefix of the workers' names on the broker (their `AMQP_PREFIX`). Default `poker`. */
  readonly prefix?: string;
  /** Whose credentials the worker uses. Default: the worker's, `default`. */
  readonly operator?: string;
  /** Whether commands name the broker user in `user_id`, which makes it the caller of `CALLERS_FILE`. Default false. */
  readonly sendUserId?: boolean;
  /** For `amqps`: a private authority, a client certificate and its key. */
  readonly tls?: ConnectionOptions;
  /** Gives the trace of each command. Default: the trace of the active span, if `@opentelemetry/api` is installed. */
  readonly traceContext?: () => TraceContext;
  /** Takes each reply that no call awaits. Without it they are dropped. */
  readonly onReply?: ReplyHandler;
  /**
   * Called for each message in the reply queue that cannot be read. It is acknowledged, and the call that it belongs to fails
   * with this error. Default: a warning of the process.
   */
  readonly onUnreadable?: ((error: CallerError) => void) | undefined;
  /** Default for each call: whether failures are retried, and which. Default true. */
  readonly retry?: RetryOptions | boolean | undefined;
  /** Called for each retry and at the end of each call and report, for metrics. It must not throw. */
  readonly onCall?: ((event: CallEvent) => void) | undefined;
  /** Called when one of the two connections changes, for a log or a health check. */
  readonly onState?: (connection: 'publishing' | 'consuming', state: ConnectionState) => void;
}

/**
 * The options as the caller uses them.
 *
 * @throws TypeError if there is no URL, or if a name cannot be used
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

function addressOf(url: string) {
  try {
    return readAddress(url);
  } catch (cause) {
    throw new TypeError(`url ${(cause as Error).message}`, { cause });
  }
}
