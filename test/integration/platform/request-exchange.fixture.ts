import type { Dispatcher } from 'undici';

import type { Answer } from '../../../libs/platform/src/transport/answer.ts';
import type { Exchange, ExchangeEnd } from '../../../libs/platform/src/transport/exchange.ts';
import { type Phase, wasSent } from '../../../libs/platform/src/transport/phase.ts';
import { transportFault } from '../../../libs/platform/src/transport/transport-fault.ts';

const MAX_ERROR_BYTES = 64 * 1024;

/** The plain form of the exchange: undici's `request()`, with an interceptor that notices when the request is sent. */
export const requestExchange: Exchange = (connections, request, limits, onEnd) => {
  const connection = connections.acquire();
  let phase: Phase = 'unsent';
  let hasTimedOut = false;
  let head: Omit<Answer, 'body'> | undefined;
  const timer = setTimeout(() => {
    hasTimedOut = true;
    connections.discard(connection);
  }, limits.timeoutMs);
  const client = connection.client.compose(noticesSending(() => (phase = 'sent')));
  const exchange = async (): Promise<ExchangeEnd> => {
    try {
      const response = await client.request(request);
      phase = 'answering';
      head = headOf(response);
      const body = await readUpTo(head.status < 300 ? limits.maxAnswerBytes : MAX_ERROR_BYTES, response.body);
      return { kind: 'answer', answer: { ...head, body } };
    } catch (error) {
      if (head && head.status >= 300) return { kind: 'answer', answer: { ...head, body: 'incomplete' } };
      const fault = hasTimedOut ? 'timeout' : transportFault(error as Error, phase);
      return { kind: wasSent(phase) ? 'lost' : 'not-sent', fault };
    }
  };
  const run = async (): Promise<void> => {
    const end = await exchange();
    clearTimeout(timer);
    const isComplete = end.kind === 'answer' && Buffer.isBuffer(end.answer.body);
    if (isComplete) connections.release(connection);
    else connections.discard(connection);
    onEnd(end);
  };
  void run();
};

/** An interceptor that passes everything on, and calls `onSent` when the request is sent. */
function noticesSending(onSent: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart(...start) {
        onSent();
        handler.onRequestStart?.(...start);
      },
      onResponseStart: (...start) => handler.onResponseStart?.(...start),
      onResponseData: (...data) => handler.onResponseData?.(...data),
      onResponseEnd: (...end) => handler.onResponseEnd?.(...end),
      onResponseError: (...error) => handler.onResponseError?.(...error),
    });
}

function headOf({ statusCode, headers }: Dispatcher.ResponseData): Omit<Answer, 'body'> {
  const first = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header);
  return {
    status: statusCode,
    retryAfter: first(headers['retry-after']),
    contentEncoding: first(headers['content-encoding']),
  };
}

async function readUpTo(maxBytes: number, body: AsyncIterable<Buffer>): Promise<Answer['body']> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) return 'too-large';
  }
  return Buffer.concat(chunks);
}
