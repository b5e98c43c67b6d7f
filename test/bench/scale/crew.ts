import { randomBytes } from 'node:crypto';

import { WORKER_FLAGS } from '../../../scripts/build/node-flags.ts';
import { freePorts } from '../../../scripts/network/free-ports.ts';
import { deleteTopology, variablesFor } from '../contestants/ours.ts';
import { takesCommands } from '../contestants/takes-commands.ts';
import { busDialect, type Dialect } from '../driver/dialect.ts';
import { processUsage } from '../measure/process-usage.ts';
import { BenchProcess } from '../processes/bench-process.ts';
import type { Stage } from '../stage/stage.ts';

export interface CrewOptions {
  /** Default 1. */
  readonly workers?: number;
  /** Settings beyond the addresses; all others have their default. */
  readonly variables?: Readonly<Record<string, string>>;
}

interface Member {
  readonly process: BenchProcess;
  readonly port: number;
}

/** Built workers that share one queue. */
export class Crew implements AsyncDisposable {
  readonly dialect: Dialect;
  readonly #amqpUrl: string;
  readonly #prefix: string;
  readonly #members: readonly Member[];

  private constructor(amqpUrl: string, prefix: string, members: readonly Member[]) {
    this.dialect = busDialect(prefix);
    this.#amqpUrl = amqpUrl;
    this.#prefix = prefix;
    this.#members = members;
  }

  /** Waits until each of them takes commands. */
  static async start(stage: Stage, { workers = 1, variables = {} }: CrewOptions): Promise<Crew> {
    const prefix = `scale-${randomBytes(4).toString('hex')}`;
    const members: Member[] = [];
    for (const port of await freePorts(workers)) {
      const process = new BenchProcess({
        args: [...WORKER_FLAGS, stage.workplace.built('apps/worker/src/main.js', 'this')],
        variables: { ...variablesFor(stage, prefix), HTTP_PORT: String(port), ...variables },
        log: stage.workplace.log(prefix),
      });
      members.push({ process, port });
      await takesCommands(process, stage.amqpUrl, `${prefix}.interactive`, members.length);
    }
    return new Crew(stage.amqpUrl, prefix, members);
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
  answered(): Promise<number[]> {
    return Promise.all(
      this.#members.map(async ({ port }) => {
        const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
        const series = [...text.matchAll(/^poker_commands_total\{.*\} (\d+)$/gm)];
        return series.reduce((sum, [, count]) => sum + Number(count), 0);
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#members.map(({ process }) => process[Symbol.asyncDispose]()));
    await deleteTopology(this.#amqpUrl, this.#prefix);
  }
}
