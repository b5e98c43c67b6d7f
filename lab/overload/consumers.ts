import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';

import { removeQueues, removeTopology } from '../../scripts/broker/remove-topology.ts';
import { Program } from '../../scripts/processes/program.ts';
import { WorkerProcess } from '../../scripts/processes/worker-process.ts';
import { newPrefix, takesCommands } from '../bench/contestants.ts';
import { type Inbox, inboxOf } from '../bench/driver/inbox.ts';

/** The workers of a case, or the naive consumers in their place; they share one queue. */
export interface Consumers extends AsyncDisposable {
  readonly inbox: Inbox;
  readonly pids: readonly number[];
}

type Variables = Readonly<Record<string, string>>;

/** Starts built workers with default settings, except for the given variables. */
export async function startWorkers(url: string, count: number, variables: Variables): Promise<Consumers> {
  const prefix = newPrefix();
  await using parts = new AsyncDisposableStack();
  parts.defer(() => removeTopology(url, prefix));
  const workers = Array.from({ length: count }, () =>
    parts.use(new WorkerProcess({ ...variables, AMQP_URL: url, AMQP_PREFIX: prefix })),
  );
  // One after the other: the first declares the topology.
  for (const worker of workers) await worker.ready();
  return consumersOf(inboxOf(prefix), workers, parts.move());
}

/** @param prefetch the most commands, and calls, that each consumer has in flight */
export async function startNaive(
  url: string,
  count: number,
  variables: Variables,
  prefetch: number,
): Promise<Consumers> {
  const queue = `naive-${randomBytes(4).toString('hex')}`;
  const main = fileURLToPath(new URL('naive/main.ts', import.meta.url));
  await using parts = new AsyncDisposableStack();
  parts.defer(() => removeQueues(url, [queue]));
  const environment = {
    ...variables,
    AMQP_URL: url,
    QUEUE: queue,
    QUEUE_TYPE: 'quorum',
    PREFETCH: `${prefetch}`,
  };
  const consumers = Array.from({ length: count }, () =>
    parts.use(new Program(process.execPath, [main], environment)),
  );
  for (const consumer of consumers) await takesCommands(consumer, url, queue);
  return consumersOf({ queue }, consumers, parts.move());
}

function consumersOf(inbox: Inbox, programs: readonly Program[], parts: AsyncDisposableStack): Consumers {
  const pids = programs.map(({ pid }) => pid);
  return { inbox, pids, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}
