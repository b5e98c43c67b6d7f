import type { Dispatcher } from 'undici';

import type { Answer } from './answer.ts';
import type { Connections } from './connections.ts';
import type { TransportFault } from './transport-fault.ts';

/** What became of one request: an answer, or none, and whether the request was sent. */
export type ExchangeEnd =
  | { readonly kind: 'answer'; readonly answer: Answer }
  | {
      readonly kind: 'not-sent' | 'lost';
      readonly fault: TransportFault;
      /** What a proxy answered instead of connecting. */
      readonly proxyStatus?: number | undefined;
    };

export interface ExchangeLimits {
  /** From now, for all of it: connecting, sending, waiting and reading. */
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
}

/**
 * A port: sends one request over a connection of its own, and reads its answer within the limits.
 *
 * @param onEnd called once, when the connection has been released or discarded
 */
export type Exchange = (
  connections: Connections,
  request: Dispatcher.DispatchOptions,
  limits: ExchangeLimits,
  onEnd: (end: ExchangeEnd) => void,
) => void;
