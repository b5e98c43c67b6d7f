import { until } from './until.ts';

/** Reads a stream of server-sent events as it arrives. */
export class EventStream {
  text = '';
  hasEnded = false;
  /** True if the connection was cut instead of ending normally. */
  isCut = false;

  readonly #leaving: AbortController;

  private constructor({ body }: Response, leaving: AbortController) {
    this.#leaving = leaving;
    void this.#read(body);
  }

  static async open(url: string): Promise<EventStream> {
    const leaving = new AbortController();
    return new EventStream(await fetch(url, { signal: leaving.signal }), leaving);
  }

  close(): void {
    this.#leaving.abort();
  }

  /** Resolves with the data of the last event with this name, once it is as expected. */
  async until(name: string, isExpected: (data: any) => boolean): Promise<any> {
    const event = new RegExp(`^event: ${name}\ndata: (.+)\n\n`, 'gm');
    return until(`an event ${name} is as expected`, () => {
      const last = this.text.matchAll(event).toArray().at(-1)?.[1];
      const data = last === undefined ? undefined : (JSON.parse(last) as unknown);
      return data !== undefined && isExpected(data) ? data : undefined;
    });
  }

  async #read(body: Response['body']): Promise<void> {
    try {
      for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) this.text += text;
    } catch {
      this.isCut = true;
    }
    this.hasEnded = true;
  }
}
