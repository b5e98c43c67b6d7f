import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** The media type of the platform's answers; JSON:API allows no charset parameter. */
export const JSON_API = 'application/vnd.api+json';

/** A complete answer. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Buffer;
  readonly headers?: OutgoingHttpHeaders;
}

/** Writes an answer in one piece. */
export function sendAnswer(
  response: ServerResponse,
  { status, contentType, body, headers = {} }: Answer,
): void {
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}
