import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { pathToFileURL } from 'node:url';

import { until } from './until.ts';

/** More lines than a bundle of our sources has. */
const MOST_LINES = 40_000;

interface Place {
  readonly scriptId: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly scriptId?: string;
    readonly url?: string;
    readonly sourceMapURL?: string;
    readonly callFrames?: readonly { readonly location: Place }[];
  };
}

/** Debugs a Node.js process over the inspector protocol, as an editor does. */
export class NodeDebugger implements Disposable {
  readonly #socket: WebSocket;
  readonly #messages: Message[] = [];
  #lastId = 0;

  private constructor(url: string) {
    this.#socket = new WebSocket(url);
    this.#socket.addEventListener('message', ({ data }) => this.#messages.push(JSON.parse(String(data))));
  }

  /** @param port the port of `--inspect` */
  static async attach(port: number): Promise<NodeDebugger> {
    const answer = await fetch(`http://127.0.0.1:${port}/json/list`);
    const [target] = (await answer.json()) as { readonly webSocketDebuggerUrl: string }[];
    const attached = new NodeDebugger(target?.webSocketDebuggerUrl ?? '');
    await until('the debugger is attached', () => attached.#socket.readyState === WebSocket.OPEN);
    await attached.call('Debugger.enable');
    return attached;
  }

  async call(method: string, params: object = {}): Promise<void> {
    const id = (this.#lastId += 1);
    this.#socket.send(JSON.stringify({ id, method, params }));
    await until(`${method} is answered`, () => this.#messages.some((message) => message.id === id));
  }

  /** Sets a breakpoint at the line of a source file that contains a text, and returns the line, from 0. */
  async breakAt(file: string, text: string): Promise<number> {
    const wanted = readFileSync(file, 'utf8')
      .split('\n')
      .findIndex((line) => line.includes(text));
    const { href } = pathToFileURL(file);
    for (const script of this.#scripts().filter(({ sourceMapURL }) => sourceMapURL)) {
      const map = this.#sourceMapOf(script);
      const lineNumber = Array.from({ length: MOST_LINES }, (_, line) => line).find((line) => {
        const place = sourceOf(map, line, 1_000);
        return place?.line === wanted && new URL(place.source, script.url).href === href;
      });
      if (lineNumber !== undefined)
        await this.call('Debugger.setBreakpointByUrl', { url: script.url, lineNumber });
    }
    return wanted;
  }

  /** Waits until the process stops at a breakpoint, and returns the line of the source, from 0. */
  async paused(): Promise<number | undefined> {
    const isPaused = ({ method }: Message): boolean => method === 'Debugger.paused';
    const { params } = await until('the process is paused', () => this.#messages.find(isPaused));
    const [frame] = params?.callFrames ?? [];
    if (!frame) return undefined;
    const { scriptId, lineNumber, columnNumber } = frame.location;
    const script = this.#scripts().find((each) => each.scriptId === scriptId);
    return script && sourceOf(this.#sourceMapOf(script), lineNumber, columnNumber)?.line;
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }

  #scripts() {
    return this.#messages.flatMap(({ method, params }) =>
      method === 'Debugger.scriptParsed' && params ? [params] : [],
    );
  }

  #sourceMapOf({ url = '', sourceMapURL = '' }: NonNullable<Message['params']>): SourceMap {
    const text = readFileSync(new URL(sourceMapURL, url), 'utf8');
    return new SourceMap(JSON.parse(text) as ConstructorParameters<typeof SourceMap>[0]);
  }
}

/** Returns the source of a location in a script, relative to the script, and its line, from 0. */
function sourceOf(map: SourceMap, line: number, column: number) {
  const entry = map.findEntry(line, column);
  return 'originalLine' in entry ? { source: entry.originalSource, line: entry.originalLine } : undefined;
}
