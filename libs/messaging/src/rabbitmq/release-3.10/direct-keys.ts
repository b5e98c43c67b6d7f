import type { KeyProbe } from './key-probe.ts';
import { Turns } from './turns.ts';

const DIRECT = 'amq.rabbitmq.reply-to.';
/** A node that leaves the cluster takes its keys with it; one that joins brings some. */
const KNOWN_FOR_MS = 60_000;
/** Kinds of keys that are remembered; beyond, the oldest goes. */
const MAX_KINDS = 1_000;
/** Questions of one caller that wait for their turn: more than a cluster has nodes. */
const MAX_WAITING = 8;
/** How a node begins the name of its channel's process: the name of an atom follows, with its length. */
const PROCESS = Buffer.from([131, 88, 118]);
/** Behind the name of the node: three numbers. */
const PROCESS_TAIL_BYTES = 12;

interface Known {
  readonly isReadable: boolean;
  readonly untilMs: number;
}

/**
 * Knows which direct reply-to keys the broker can read: it closes a connection that publishes to one that it cannot, and
 * all that is being published would wait for the next connection. The keys of one node are alike, so that a service asks
 * once a minute for each node, and for each key that was made up. Nobody waits for the many keys that somebody makes up:
 * callers are asked for in turn, and of each only a few questions wait.
 */
export class DirectKeys {
  readonly #known = new Map<string, Known>();
  /** Questions under way, by kind. */
  readonly #asking = new Map<string, Promise<boolean>>();
  /** One question at a time: a bad key would take the others' answers away. */
  readonly #turns = new Turns();
  readonly #probe: Pick<KeyProbe, 'isReadable'>;
  readonly #nowMs: () => number;

  constructor(probe: Pick<KeyProbe, 'isReadable'>, nowMs: () => number) {
    this.#probe = probe;
    this.#nowMs = nowMs;
  }

  /**
   * At once if it is known. A key counts as readable if the broker could not be asked. If too many questions of its caller
   * wait, the last answer counts, and a key without one is not readable.
   */
  isReadable(key: string, caller: string): boolean | Promise<boolean> {
    const kind = kindOf(key);
    const known = this.#known.get(kind);
    if (known && known.untilMs > this.#nowMs()) return known.isReadable;
    let asking = this.#asking.get(kind);
    if (!asking) {
      if (this.#turns.waitingOf(caller) >= MAX_WAITING) return known?.isReadable ?? false;
      asking = this.#ask(kind, key, caller).finally(() => this.#asking.delete(kind));
      this.#asking.set(kind, asking);
    }
    return asking;
  }

  async #ask(kind: string, key: string, caller: string): Promise<boolean> {
    const isReadable = await this.#turns.run(caller, () => this.#probe.isReadable(key));
    if (isReadable === undefined) return true;
    this.#known.delete(kind);
    this.#known.set(kind, { isReadable, untilMs: this.#nowMs() + KNOWN_FOR_MS });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KINDS && oldest !== undefined) this.#known.delete(oldest);
    return isReadable;
  }
}

/** The node of a key that has the form that nodes give them, else the key itself. */
function kindOf(key: string): string {
  const [process = '', secret, ...more] = key.slice(DIRECT.length).split('.');
  const bytes = Buffer.from(process, 'base64');
  const nameLength = bytes.length >= 5 ? bytes.readUInt16BE(3) : 0;
  const isGenuine =
    secret !== undefined &&
    more.length === 0 &&
    bytes.subarray(0, 3).equals(PROCESS) &&
    bytes.length === 5 + nameLength + PROCESS_TAIL_BYTES &&
    bytes.toString('base64') === process;
  return isGenuine ? `node ${bytes.toString('utf8', 5, 5 + nameLength)}` : key;
}
