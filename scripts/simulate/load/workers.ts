import { SimulatedWorker, type SimulatedWorkerOptions } from '../worker/simulated-worker.ts';

/** How often the autoscaler looks: KEDA's and the HorizontalPodAutoscaler's defaults. */
const LOOK_MS = 15_000;
/** It adds as many workers as there are, or four, in one look. */
const MOST_ADDED = 4;
/** It removes workers that were not needed for so long. */
const STABLE_MS = 300_000;

/** The workers, of which an autoscaler keeps as many as the players' queue asks for. */
export class Workers {
  readonly #options: SimulatedWorkerOptions;
  readonly #running: SimulatedWorker[] = [];
  /** That were decided on and do not take commands yet. */
  #starting = 0;
  /** What was wanted at each look of the last minutes. */
  #wanted: { readonly atMs: number; readonly workers: number }[] = [];

  constructor(options: SimulatedWorkerOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#running.length;
  }

  get openCircuits(): number {
    return this.#running.reduce((sum, { openCircuits }) => sum + openCircuits, 0);
  }

  start(): void {
    const { min, max } = this.#options.model;
    for (let worker = 0; worker < min; worker += 1) this.#add();
    if (max > min) setInterval(() => this.#look(), LOOK_MS);
  }

  #look(): void {
    const { min, max, startMs } = this.#options.model;
    const nowMs = Date.now();
    const wanted = Math.min(max, Math.max(min, this.#asked()));
    this.#wanted = [...this.#wanted, { atMs: nowMs, workers: wanted }].filter(
      ({ atMs }) => nowMs - atMs < STABLE_MS,
    );
    const present = this.count + this.#starting;
    const added = Math.min(wanted - present, Math.max(MOST_ADDED, present));
    for (let worker = 0; worker < added; worker += 1) {
      this.#starting += 1;
      setTimeout(() => {
        this.#starting -= 1;
        this.#add();
      }, startMs);
    }
    const kept = Math.max(...this.#wanted.map(({ workers }) => workers));
    for (let left = Math.min(this.count, present - kept); left > 0; left -= 1) {
      void this.#running.pop()?.stop();
    }
  }

  #asked(): number {
    const { broker, model } = this.#options;
    const { ready, unacknowledged } = broker.queues.interactive;
    return Math.ceil((model.scaleOn === 'all' ? ready + unacknowledged : ready) / model.scaleAt);
  }

  #add(): void {
    const worker = new SimulatedWorker(this.#options);
    this.#running.push(worker);
    worker.start();
  }
}
