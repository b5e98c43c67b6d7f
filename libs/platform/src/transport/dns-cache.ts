import { lookup as resolveBySystem, type LookupAddress, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** Addresses are resolved again after this time. */
const FRESH_MS = 10_000;
/** How long a connection waits for fresh addresses if stale ones are cached. */
const STALE_AFTER_MS = 500;
/** Addresses older than this are never used, even while a resolution hangs. */
const OLDEST_MS = 600_000;
/**
 * Names whose last resolution took longer are resolved at most `MOST_SLOW` at a time, so that a thread stays
 * free for the others.
 */
const SLOW_MS = 1_000;
const MOST_SLOW = 8;

type Resolved = (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void;

/** Resolves a host name to all its addresses. */
export type Resolve = (host: string, options: LookupOptions & { all: true }, resolved: Resolved) => void;

class Host {
  addresses: readonly LookupAddress[] = [];
  resolvedAtMs = -Infinity;
  /** When its last resolution started. */
  startedAtMs = -Infinity;
  /** True if its last resolution took long. */
  isSlow = false;
  /** Look-ups that wait for the resolution in progress; `undefined` if there is none. */
  waiting: Set<Resolved> | undefined;
}

/**
 * Resolves the host names of platforms and proxies by `getaddrinfo`, including `/etc/hosts` and search
 * domains, but each name once at a time: a resolution that hangs takes one thread of Node.js, however many
 * calls wait for it. Addresses are cached for ten seconds, and for ten minutes while a resolution hangs.
 */
export class DnsCache {
  /** Contains only the few host names of the settings. */
  readonly #hosts = new Map<string, Host>();
  /** Resolutions of slow names in progress. */
  #slowCount = 0;
  readonly #slowWaiting: (() => void)[] = [];

  constructor(private readonly resolve: Resolve = resolveBySystem) {}

  /** A function for the option `lookup` of `net.connect`. */
  readonly lookup: LookupFunction = (name, { all, family, hints = 0 }, callback) => {
    const resolved: Resolved = (error, addresses) => {
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
    const ageMs = nowMs - host.resolvedAtMs;
    if (ageMs <= FRESH_MS) return resolved(null, host.addresses);
    const waiting = host.waiting ?? this.#start(name, host, hints);
    waiting.add(resolved);
    if (ageMs > OLDEST_MS) return;
    const useStale = (): void => {
      if (waiting.delete(resolved)) resolved(null, host.addresses);
    };
    setTimeout(useStale, host.startedAtMs + STALE_AFTER_MS - nowMs).unref();
  };

  /** Resolves a name now, or, if it is slow, once fewer slow names are being resolved. */
  #start(name: string, host: Host, hints: number): Set<Resolved> {
    const waiting = new Set<Resolved>();
    Object.assign(host, { waiting, startedAtMs: performance.now() });
    const { isSlow } = host;
    const start = (): void => {
      const startedAtMs = performance.now();
      if (isSlow) this.#slowCount += 1;
      this.resolve(name, { all: true, hints }, (error, addresses) => {
        const nowMs = performance.now();
        host.waiting = undefined;
        host.isSlow = nowMs - startedAtMs > SLOW_MS;
        if (!error) Object.assign(host, { addresses, resolvedAtMs: nowMs });
        if (isSlow) {
          this.#slowCount -= 1;
          this.#slowWaiting.shift()?.();
        }
        const isUsable = nowMs - host.resolvedAtMs <= OLDEST_MS;
        for (const resolved of waiting) resolved(isUsable ? null : error, isUsable ? host.addresses : []);
      });
    };
    if (isSlow && this.#slowCount >= MOST_SLOW) this.#slowWaiting.push(start);
    else start();
    return waiting;
  }
}
