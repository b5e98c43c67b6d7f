import { randomBytes } from 'node:crypto';

import { removeTopology } from '../../../scripts/broker/remove-topology.ts';
import { freePorts } from '../../../scripts/network/free-ports.ts';
import { ServiceProcess } from '../../../scripts/processes/service-process.ts';
import { until } from '../../support/until.ts';
import { busDialect, type Dialect } from '../driver/dialect.ts';
import { processUsage } from '../measure/process-usage.ts';
import type { Version } from '../stage/workplace.ts';
import { asWorker } from './as-worker.ts';
import type { Contestant, RunningWorker, Surroundings } from './contestant.ts';
import { takesCommands } from './takes-commands.ts';

export interface OurWorkersOptions {
  /** How many share one queue. Default: 1. */
  readonly workers?: number;
  /** Default: `this`. */
  readonly version?: Version;
  /** Settings beyond the addresses and the prefetch; all others have their default. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Of Node.js, such as `--cpu-prof`. */
  readonly nodeFlags?: readonly string[];
}

interface Member {
  readonly process: ServiceProcess;
  readonly port: number;
}

/** The built worker, on its own topology. */
export function ours(version: Version = 'this'): Contestant {
  return {
    name: version === 'this' ? 'ours' : 'other',
    label: version === 'this' ? 'poker-bridge' : 'poker-bridge, other checkout',
    queueType: 'quorum',
    start: (surroundings, nodeFlags = []) => OurWorkers.start(surroundings, { version, nodeFlags }),
  };
}

/** Built workers on a topology of their own. */
export class OurWorkers implements RunningWorker {
  /** The first of them. */
  readonly process: ServiceProcess;
  readonly dialect: Dialect;
  readonly prefix: string;
  readonly #amqpUrl: string;
  readonly #members: readonly Member[];

  private constructor(amqpUrl: string, prefix: string, members: readonly [Member, ...Member[]]) {
    this.process = members[0].process;
    this.dialect = busDialect(prefix);
    this.prefix = prefix;
    this.#amqpUrl = amqpUrl;
    this.#members = members;
  }

  /** Waits until each of them takes commands. */
  static async start(
    surroundings: Surroundings,
    { workers = 1, version = 'this', variables = {}, nodeFlags = [] }: OurWorkersOptions = {},
  ): Promise<OurWorkers> {
    const { amqpUrl, workplace } = surroundings;
    const prefix = `bench-${randomBytes(4).toString('hex')}`;
    const members: Member[] = [];
    for (const port of await freePorts(workers)) {
      const program = workplace.worker(version);
      const own = { ...variablesFor(surroundings, prefix), HTTP_PORT: String(port), ...variables };
      const process = new ServiceProcess({
        ...asWorker(program, own, nodeFlags),
        log: workplace.log(prefix),
      });
      members.push({ process, port });
      await takesCommands(process, amqpUrl, `${prefix}.interactive`, members.length);
      // A worker may have two consumers, so that counting them does not show that the last one consumes.
      await until('it is ready', () => isReady(port));
    }
    return new OurWorkers(amqpUrl, prefix, members as [Member, ...Member[]]);
  }

  /** Processor time of all of them since they began. */
  get cpuMs(): number {
    return this.#members.reduce((sum, { process }) => sum + processUsage(process.pid).cpuMs, 0);
  }

  /** What the largest of them has resident. */
  get memoryMib(): number {
    return Math.max(...this.#members.map(({ process }) => processUsage(process.pid).memoryMib));
  }

  /** How many commands each of them has answered. */
  async answered(): Promise<number[]> {
    const pages = await this.metrics();
    return pages.map((text) => {
      const series = [...text.matchAll(/^poker_commands_total\{.*\} (\d+)$/gm)];
      return series.reduce((sum, [, count]) => sum + Number(count), 0);
    });
  }

  /** Of each of them, as Prometheus reads them. */
  metrics(): Promise<string[]> {
    return Promise.all(
      this.#members.map(async ({ port }) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#members.map(({ process }) => process[Symbol.asyncDispose]()));
    await removeTopology(this.#amqpUrl, this.prefix);
  }
}

async function isReady(port: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined);
  return answer?.ok === true;
}

/** All that a worker is told. */
export function variablesFor(
  { amqpUrl, platform, prefetch }: Surroundings,
  prefix: string,
): Record<string, string> {
  return {
    ...platform,
    AMQP_URL: amqpUrl,
    AMQP_PREFIX: prefix,
    HTTP_PORT: '0',
    INTERACTIVE_PREFETCH: String(prefetch),
  };
}
