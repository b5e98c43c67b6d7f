import { randomBytes } from 'node:crypto';

import { WORKER_FLAGS } from '../../../scripts/build/node-flags.ts';
import { freePorts } from '../../../scripts/network/free-ports.ts';
import { deleteTopology } from '../contestants/ours.ts';
import { takesCommands } from '../contestants/takes-commands.ts';
import { BenchProcess } from '../processes/bench-process.ts';
import type { Workplace } from '../stage/workplace.ts';

/** A worker under soak, with its metrics within reach. */
export interface SoakWorker extends AsyncDisposable {
  readonly process: BenchProcess;
  readonly prefix: string;
  /** The metrics that have no labels, by name. */
  metrics(): Promise<ReadonlyMap<string, number>>;
}

/** @param variables beyond the addresses; all other settings have their default */
export async function startSoakWorker(
  workplace: Workplace,
  amqpUrl: string,
  variables: Readonly<Record<string, string>>,
): Promise<SoakWorker> {
  const prefix = `soak-${randomBytes(4).toString('hex')}`;
  const [port = 0] = await freePorts(1);
  const process = new BenchProcess({
    args: [...WORKER_FLAGS, workplace.built('apps/worker/src/main.js', 'this')],
    variables: {
      ...variables,
      AMQP_URL: amqpUrl,
      AMQP_PREFIX: prefix,
      HTTP_PORT: String(port),
      LOG_LEVEL: 'warn',
    },
    log: workplace.log('soak-worker'),
  });
  await takesCommands(process, amqpUrl, `${prefix}.reports`);
  return {
    process,
    prefix,
    metrics: async () => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return new Map(
        [...text.matchAll(/^(\w+) (\S+)$/gm)].map(([, name = '', value]) => [name, Number(value)]),
      );
    },
    [Symbol.asyncDispose]: async () => {
      await process[Symbol.asyncDispose]();
      await deleteTopology(amqpUrl, prefix);
    },
  };
}
