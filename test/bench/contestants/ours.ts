import { randomBytes } from 'node:crypto';

import { commandOf, WORKER } from '../../../scripts/build/programs.ts';
import { removeTopology } from '../../../scripts/broker/remove-topology.ts';
import { freePorts } from '../../../scripts/network.ts';
import { ServiceProcess } from '../../../scripts/processes/service-process.ts';
import { startRedis } from '../../../scripts/start-redis.ts';
import { until } from '../../support/until.ts';
import { busDialect, type Dialect } from '../driver/workload.ts';
import { processUsage } from '../measure/measure.ts';
import type { Version } from '../stage/stage.ts';
import { type Contestant, type RunningWorker, type Surroundings, takesCommands } from './contestant.ts';

export interface OurWorkerOptions {
  /** Default: `this`. */
  readonly version?: Version;
  /** Whether a Redis of its own deduplicates its commands. Default: no. */
  readonly hasRedis?: boolean;
}

/** The built worker, as it is, with a Redis, and as another checkout has it. */
export const OURS = {
  alone: ours('ours', 'poker-bridge', {}),
  withRedis: ours('redis', 'poker-bridge, with Redis', { hasRedis: true }),
  other: ours('other', 'poker-bridge, other checkout', { version: 'other' }),
} as const;

function ours(name: string, label: string, options: OurWorkerOptions): Contestant {
  return {
    name,
    label,
    queueType: 'quorum',
    start: (surroundings) => OurWorker.start(surroundings, options),
  };
}

/** A built worker on a topology of its own. */
export class OurWorker implements RunningWorker {
  readonly process: ServiceProcess;
  readonly dialect: Dialect;
  readonly prefix: string;
  readonly #parts: AsyncDisposableStack;

  private constructor(process: ServiceProcess, prefix: string, parts: AsyncDisposableStack) {
    this.process = process;
    this.dialect = busDialect(prefix);
    this.prefix = prefix;
    this.#parts = parts;
  }

  /** Waits until it takes commands. */
  static async start(
    surroundings: Surroundings,
    { version = 'this', hasRedis = false }: OurWorkerOptions = {},
  ): Promise<OurWorker> {
    const { amqpUrl, workplace } = surroundings;
    const prefix = `bench-${randomBytes(4).toString('hex')}`;
    const [port = 0] = await freePorts(1);
    await using parts = new AsyncDisposableStack();
    parts.defer(() => removeTopology(amqpUrl, prefix));
    const variables = {
      ...variablesFor(surroundings, prefix),
      HTTP_PORT: String(port),
      ...(hasRedis && { REDIS_URL: parts.use(await startRedis()).url }),
    };
    const process = parts.use(
      new ServiceProcess({
        ...commandOf(WORKER, variables, workplace.folderOf(version)),
        log: workplace.log(prefix),
      }),
    );
    await takesCommands(process, amqpUrl, `${prefix}.interactive`);
    await until('it is ready', async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined);
      return answer?.ok === true;
    });
    return new OurWorker(process, prefix, parts.move());
  }

  /** Resident now. */
  get memoryMib(): number {
    return processUsage(this.process.pid).memoryMib;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.disposeAsync();
  }
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
