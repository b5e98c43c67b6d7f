import type { ChannelModel } from 'amqplib';

import { checkPublishing, checkReading, type MissingPermission, missingPermissionIn } from './access.ts';
import { NOT_FOUND } from './connection/on-channel.ts';
import type { PublishRefusedError } from './publishing/outgoing-message.ts';
import { declareTopology, type Topology, TopologyMismatchError } from './topology/declare-topology.ts';

/** What is deleted is back within 30 s. */
const INTERVAL_MS = 10_000;
/** While a permission is missing. */
const REFUSED_INTERVAL_MS = 2_000;

export interface UpkeepOptions {
  readonly topology: Topology;
  /** Exchanges that the service publishes to; '' is the default one. */
  readonly publishesTo: readonly string[];
  /** The queues that are consumed. */
  readonly reads: () => readonly string[];
  /** The connection to ask over; `undefined` if none would answer. */
  readonly connection: () => ChannelModel | undefined;
  /** Called when a permission is found missing, another one is, or none is any more. */
  readonly onChange: (missing: MissingPermission | undefined) => void;
  /** Called if what exists on the broker differs from the topology, until all of it was declared once. */
  readonly onMismatch: (error: TopologyMismatchError) => void;
  /** 0 to 1. */
  readonly random: () => number;
}

/** Keeps the topology declared, and knows whether the broker lets the service declare, publish and read. */
export class Upkeep {
  readonly #options: UpkeepOptions;
  #missing: MissingPermission | undefined;
  #wasComplete = false;
  /** Messages that wait for a permission. */
  #waiting: ((isGranted: boolean) => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  /** What the broker refuses. */
  get missing(): MissingPermission | undefined {
    return this.#missing;
  }

  /** Whether all of the topology was declared once. */
  get wasComplete(): boolean {
    return this.#wasComplete;
  }

  /** Looks again and again, until it is closed. */
  schedule(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    const afterMs = this.#missing ? REFUSED_INTERVAL_MS : INTERVAL_MS * (0.75 + this.#options.random() / 2);
    const look = async (): Promise<void> => {
      const model = this.#options.connection();
      if (model) await this.look(model).catch(() => undefined);
      this.schedule();
    };
    this.#timer = setTimeout(() => void look(), afterMs).unref();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const decide of this.#waiting.splice(0)) decide(false);
  }

  /**
   * Declares what is missing, and asks whether the service may publish and read.
   *
   * @throws Error unless all that fails is a permission
   */
  async look(model: ChannelModel): Promise<void> {
    const { topology, publishesTo, reads, onMismatch } = this.#options;
    const declare = () => declareTopology(model, topology);
    const check = () => checkPublishing(model, publishesTo, topology);
    try {
      // A queue without a leader keeps a declaration waiting, and what existed before most likely still does.
      for (const step of this.#wasComplete ? [check, declare] : [declare, check]) await step();
      this.#wasComplete = true;
      await checkReading(model, reads(), this.#missing !== undefined);
      this.#change(undefined);
    } catch (error) {
      if (error instanceof TopologyMismatchError && !this.#wasComplete) onMismatch(error);
      const missing = missingPermissionIn(error, 'configure');
      if (!missing) throw error;
      this.#change(missing);
    }
  }

  /** Declares everything again, because something of it was found missing. */
  async redeclare(): Promise<void> {
    const model = this.#options.connection();
    if (model) await declareTopology(model, this.#options.topology);
  }

  /**
   * Puts right what the broker refused a message for, if that can be.
   *
   * @returns whether to publish it again
   */
  async repair({ code, exchange, message }: PublishRefusedError): Promise<boolean> {
    if (this.#isClosed) return false;
    const missing = missingPermissionIn({ code, message }, 'write');
    if (missing) {
      this.#change(missing);
      return new Promise((resolve) => this.#waiting.push(resolve));
    }
    const isOwn = this.#options.topology.exchanges.some(({ name }) => name === exchange);
    if (code !== NOT_FOUND || !isOwn) return false;
    // What is bound to it follows with the next look.
    const { exchanges } = this.#options.topology;
    const model = this.#options.connection();
    if (model) await declareTopology(model, { exchanges, queues: [], bindings: [] }).catch(() => undefined);
    return true;
  }

  #change(missing: MissingPermission | undefined): void {
    const hasChanged = missing?.reason !== this.#missing?.reason;
    this.#missing = missing;
    if (!missing) for (const decide of this.#waiting.splice(0)) decide(true);
    if (!hasChanged) return;
    this.#options.onChange(missing);
    this.schedule();
  }
}
