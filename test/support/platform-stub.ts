import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text as wholeText } from 'node:stream/consumers';

import { platformAt } from '../../scripts/processes/worker-process.ts';
import { LoopbackServer } from './loopback-server.ts';

export interface PlatformRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type PlatformBehaviour = (
  request: PlatformRequest,
  response: ServerResponse,
  socket: Socket,
) => void | Promise<void>;

/** A platform on a real socket that records every request; tests set its behaviour. */
export class PlatformStub extends LoopbackServer {
  readonly requests: PlatformRequest[] = [];
  behaviour: PlatformBehaviour;
  #isClosed = false;

  constructor(behaviour: PlatformBehaviour) {
    super();
    this.behaviour = behaviour;
  }

  /** The variables that point a worker here. */
  get variables(): Record<string, string> {
    return platformAt(this.origin, 'op1', 'test_secret_key');
  }

  override [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    return super[Symbol.asyncDispose]();
  }

  protected async answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    // The sender may have been killed, or have given up.
    const body = await wholeText(message).catch(() => undefined);
    if (body === undefined || this.#isClosed) return;
    const request = {
      method: message.method ?? '',
      url: new URL(message.url ?? '/', this.origin),
      headers: message.headers,
      body,
    };
    this.requests.push(request);
    try {
      await this.behaviour(request, response, message.socket);
    } catch (error) {
      // A failure after the end of its suite must not fail the suite that runs then.
      if (!this.#isClosed) throw error;
    }
  }
}

export function answerJson(response: ServerResponse, status: number, body: unknown): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/vnd.api+json' }).end(text);
}

export function sessionDocument(userId: string): object {
  return { data: { type: 'session', id: `auth-${userId}`, attributes: sessionOf(userId) } };
}

/**
 * Returns the session document of a player. Each player has a different session, so that tests detect swapped
 * answers.
 */
export function sessionOf(userId: string) {
  return {
    'user-id': userId,
    'session-id': `session-${userId}`,
    auth: `auth-${userId}`,
    'redirect-url': `https://lobby.example/?auth=auth-${userId}&lang=en`,
  } as const;
}
