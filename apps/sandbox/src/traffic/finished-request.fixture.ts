import type { Exchange } from './exchange.ts';
import type { FinishedRequest } from './traffic-log.ts';

/** A request to the session endpoint that was answered. */
export function finishedRequest(
  rest: Partial<Exchange>,
  url = '/users/u/session?clientId=op',
): FinishedRequest {
  const exchange = {
    operation: 'session',
    receivedAtMs: 0,
    planned: {},
    body: Buffer.alloc(0),
    onProcessed: () => undefined,
    ...rest,
  } as const;
  const rawHeaders = ['Host', 'h', 'Sign', 'd1gest'];
  return { method: 'POST', url, rawHeaders, exchange, status: 200, durationMs: 1 };
}
