import type { Exchange, ExchangeEnd, Operation } from '#platform';
import type { Random } from '#resilience';

import { lognormal } from '../random.ts';
import type { Outage, Scenario } from '../scenario/scenario.ts';
import { documentOf } from './documents.ts';

/** How long a refused connection and a 503 take. */
const REFUSED_MS = 1;
const ERROR_MS = 20;

/** What the platform sees of the workers. */
export interface PlatformLoad {
  /** Calls since the beginning, refused connections included. */
  calls: number;
  /** Connections on which a worker waits for an answer. */
  inFlight: number;
  /** The most of them since it was last read. */
  mostInFlight: number;
}

/** The platform: takes a while for each call, serves only so many at once, and has its outages. */
export class SimulatedPlatform {
  readonly load: PlatformLoad = { calls: 0, inFlight: 0, mostInFlight: 0 };
  readonly #scenario: Scenario;
  readonly #random: Random;
  readonly #waiting: (() => void)[] = [];
  #serving = 0;

  constructor(scenario: Scenario, random: Random) {
    this.#scenario = scenario;
    this.#random = random;
  }

  /** In place of the worker's own, which sends requests over sockets. */
  readonly exchange: Exchange = (_connections, { path }, { timeoutMs }, onEnd) => {
    const operation = operationOf(path);
    let isOver = false;
    const end = (result: ExchangeEnd): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      this.load.inFlight -= 1;
      onEnd(result);
    };
    const timer = setTimeout(() => end({ kind: 'lost', fault: 'timeout' }), timeoutMs);
    this.load.calls += 1;
    this.load.inFlight += 1;
    this.load.mostInFlight = Math.max(this.load.mostInFlight, this.load.inFlight);
    this.#take(operation, pageOf(path), end);
  };

  #take(operation: Operation, page: number, end: (result: ExchangeEnd) => void): void {
    const outage = this.#outageOf(operation);
    switch (outage?.kind) {
      case 'refused':
        setTimeout(() => end({ kind: 'not-sent', fault: 'refused' }), REFUSED_MS);
        break;
      case 'errors':
        setTimeout(() => end(answer(503, EMPTY)), ERROR_MS);
        break;
      case 'silent':
        break;
      case 'slow':
      case undefined:
        this.#serve(operation, page, outage?.factor ?? 1, end);
    }
  }

  /** A call whose worker has given up is served to its end: the platform does not know. */
  #serve(operation: Operation, page: number, factor: number, end: (result: ExchangeEnd) => void): void {
    const { callsAtOnce } = this.#scenario.platform;
    if (callsAtOnce > 0 && this.#serving >= callsAtOnce) {
      this.#waiting.push(() => this.#serve(operation, page, factor, end));
      return;
    }
    this.#serving += 1;
    setTimeout(
      () => {
        this.#serving -= 1;
        end(this.#answerTo(operation, page));
        this.#waiting.shift()?.();
      },
      factor * this.#latencyMs(operation),
    );
  }

  #answerTo(operation: Operation, page: number): ExchangeEnd {
    const { platform, load } = this.#scenario;
    const isFailure = this.#random() < platform.failureShare;
    return isFailure ? answer(503, EMPTY) : answer(200, documentOf(operation, page, load.pages));
  }

  #latencyMs(operation: Operation): number {
    const { latencyMs, latencyP99Ms, reportLatencyMs } = this.#scenario.platform;
    const median = operation.startsWith('report.') ? reportLatencyMs : latencyMs;
    return lognormal(median, (median * latencyP99Ms) / latencyMs, this.#random);
  }

  #outageOf(operation: Operation): Outage | undefined {
    const nowMs = Date.now();
    return this.#scenario.platform.outages.find(
      (outage) =>
        nowMs >= outage.fromMs &&
        nowMs < outage.toMs &&
        (outage.operation === undefined || outage.operation === operation),
    );
  }
}

const EMPTY = Buffer.alloc(0);
/** By what the path of a request holds. */
const PATHS: readonly (readonly [string, Operation])[] = [
  ['/session?', 'session.create'],
  ['/open-game?', 'game.open'],
  ['/rake?', 'report.rake.fetch'],
];

/** @throws Error if the simulation sends no such call */
function operationOf(path: string): Operation {
  const [, operation] = PATHS.find(([part]) => path.includes(part)) ?? [];
  if (operation === undefined) throw new Error(`the simulated platform does not know ${path}`);
  return operation;
}

/** Of a report; 1 of anything else. */
function pageOf(path: string): number {
  return Number(/[?&]page=(\d+)/.exec(path)?.[1] ?? 1);
}

function answer(status: number, body: Buffer): ExchangeEnd {
  return { kind: 'answer', answer: { status, retryAfter: undefined, contentEncoding: undefined, body } };
}
