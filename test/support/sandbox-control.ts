import { until } from './until.ts';

/** A request to the platform in the sandbox's log. */
export interface LoggedRequest {
  readonly operation: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly status?: number;
}

/** The attributes of an open-game document. */
export type OpenGame = Readonly<Record<'player' | 'session', Readonly<Record<string, unknown>>>>;

interface Counters {
  readonly received: number;
  readonly answered: Readonly<Record<string, number>>;
  readonly unanswered: number;
}

/** The parts of a sandbox's control API that tests need. */
export class SandboxControl {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  /** The last requests to the platform, the newest first, once none is in flight. */
  async requests(): Promise<readonly LoggedRequest[]> {
    await until('every request has ended', async () => Object.values(await this.#counters()).every(hasEnded));
    return (await this.#call('GET', 'requests')) as LoggedRequest[];
  }

  /** The last request to the platform. */
  async lastRequest(): Promise<LoggedRequest> {
    const [last] = await this.requests();
    if (!last) throw new Error('the platform has received nothing');
    return last;
  }

  /** The attributes of the last open-game request. */
  async lastGame(): Promise<OpenGame> {
    const document = JSON.parse((await this.lastRequest()).body) as { data: { attributes: OpenGame } };
    return document.data.attributes;
  }

  /** The number of requests for an operation (`session`, `open-game`, `ad-hoc-report`, `rake`) so far. */
  async received(operation: string): Promise<number> {
    return (await this.#counters())[operation]?.received ?? 0;
  }

  async player(userId: string): Promise<Record<string, unknown>> {
    const path = `players/${encodeURIComponent(userId)}`;
    return (await this.#call('GET', path)) as Record<string, unknown>;
  }

  /** Requests a fault; it is active until it was injected `count` times, or until `clearFaults`. */
  async fault(rule: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#call('POST', 'faults', rule);
  }

  async clearFaults(): Promise<void> {
    await this.#call('DELETE', 'faults');
  }

  async #counters(): Promise<Readonly<Record<string, Counters>>> {
    return (await this.#call('GET', 'counters')) as Record<string, Counters>;
  }

  async #call(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.url}/sandbox/${path}`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }
}

function hasEnded({ received, answered, unanswered }: Counters): boolean {
  return received === Object.values(answered).reduce((sum, count) => sum + count, unanswered);
}
