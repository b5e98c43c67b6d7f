import { lookup as askSystem, type LookupAddress, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** Addresses are asked for again after this long. */
const FRESH_MS = 10_000;
/** How long a connection waits for new addresses while there are old ones. */
const PATIENCE_MS = 500;
/** Older addresses are not used, however long the system takes. */
const OLDEST_MS = 600_000;
/** A name that took longer the last time waits for its turn among such names, so that the others find a thread. */
const SLOW_MS = 1_000;
const MOST_SLOW = 8;

type Answer = (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void;

/** Asks the system for all addresses of a host. */
export type Ask = (host: string, options: LookupOptions & { all: true }, answer: Answer) => void;

class Host {
  addresses: readonly LookupAddress[] = [];
  /** When they were answered, and when they were last asked for. */
  answeredAtMs = -Infinity;
  askedAtMs = -Infinity;
  /** Whether its last answer took long. */
  isSlow = false;
  /** What waits for an answer of the system; `undefined` while it is not asked. */
  waiting: Set<Answer> | undefined;
}

/**
 * Resolves the names of platforms and proxies as the system does, with `/etc/hosts`, search domains and all, but asks for
 * each name once at a time: a question that the system does not answer takes one thread of Node.js, however many calls
 * wait for it. Addresses are used for ten seconds, and longer while the system does not answer.
 */
export class Names {
  /** The names of the settings: few. */
  readonly #hosts = new Map<string, Host>();
  /** Questions for names that are slow. */
  #slowAsked = 0;
  readonly #slowWaiting: (() => void)[] = [];

  constructor(private readonly ask: Ask = askSystem) {}

  /** As `net.connect` wants it. */
  readonly lookup: LookupFunction = (name, { all, family, hints = 0 }, callback) => {
    const answer: Answer = (error, addresses) => {
      const isGiven = family === 4 || family === 6;
      const fitting = isGiven ? addresses.filter((each) => each.family === family) : [...addresses];
      const [first] = fitting;
      const failure = error ?? (first ? null : Object.assign(new Error('no address'), { code: 'ENOTFOUND' }));
      if (all) callback(failure, fitting);
      else callback(failure, first?.address ?? '', first?.family);
    };
    const nowMs = performance.now();
    const host = this.#hosts.get(name) ?? new Host();
    this.#hosts.set(name, host);
    const ageMs = nowMs - host.answeredAtMs;
    if (ageMs <= FRESH_MS) return answer(null, host.addresses);
    const waiting = host.waiting ?? this.#askFor(name, host, hints);
    waiting.add(answer);
    if (ageMs > OLDEST_MS) return;
    const useOld = (): void => {
      if (waiting.delete(answer)) answer(null, host.addresses);
    };
    setTimeout(useOld, host.askedAtMs + PATIENCE_MS - nowMs).unref();
  };

  /** Asks now, or, for a name that is slow, once fewer of them are asked for. */
  #askFor(name: string, host: Host, hints: number): Set<Answer> {
    const waiting = new Set<Answer>();
    Object.assign(host, { waiting, askedAtMs: performance.now() });
    const { isSlow } = host;
    const ask = (): void => {
      const startedAtMs = performance.now();
      if (isSlow) this.#slowAsked += 1;
      this.ask(name, { all: true, hints }, (error, addresses) => {
        const nowMs = performance.now();
        host.waiting = undefined;
        host.isSlow = nowMs - startedAtMs > SLOW_MS;
        if (!error) Object.assign(host, { addresses, answeredAtMs: nowMs });
        if (isSlow) {
          this.#slowAsked -= 1;
          this.#slowWaiting.shift()?.();
        }
        const isUsable = nowMs - host.answeredAtMs <= OLDEST_MS;
        for (const answer of waiting) answer(isUsable ? null : error, isUsable ? host.addresses : []);
      });
    };
    if (isSlow && this.#slowAsked >= MOST_SLOW) this.#slowWaiting.push(ask);
    else ask();
    return waiting;
  }
}
