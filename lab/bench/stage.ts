import { fileURLToPath } from 'node:url';

import { startBroker } from '../../scripts/broker/start-broker.ts';
import { freePorts, isListening } from '../../scripts/network.ts';
import { Program } from '../../scripts/processes/program.ts';
import { platformAt } from '../../scripts/processes/worker-process.ts';

const SECRET_KEY = 'bench-secret-key';

export interface BenchPlatform extends AsyncDisposable {
  readonly pid: number;
  /** Variables that point a worker to this platform. */
  readonly variables: ReturnType<typeof platformAt>;
}

/**
 * @param latencyMs the time until the platform answers, in milliseconds
 * @param records the number of records of each report; default: none
 * @param perPage the number of records of each page; default: as requested
 */
export async function startPlatform(
  latencyMs: number,
  records = 0,
  perPage?: number,
): Promise<BenchPlatform> {
  const [port = 0] = await freePorts(1);
  const platform = new Program(
    process.execPath,
    [fileURLToPath(new URL('platform/main.ts', import.meta.url))],
    {
      PORT: String(port),
      LATENCY_MS: String(latencyMs),
      REPORT_RECORDS: String(records),
      SECRET_KEY,
      ...(perPage && { RECORDS_PER_PAGE: String(perPage) }),
    },
  );
  await platform.until('listen', () => isListening(port));
  return {
    pid: platform.pid,
    variables: platformAt(`http://127.0.0.1:${port}`, 'bench', SECRET_KEY),
    [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose](),
  };
}

/** Environment of a measured worker. */
export interface Surroundings {
  readonly amqpUrl: string;
  /** Variables that point a worker to the platform. */
  readonly platform: Readonly<Record<string, string>>;
  /** The maximum number of in-flight commands of a worker. */
  readonly prefetch: number;
}

/** The environment of the measured workers: a private broker and a platform. */
export interface Stage extends Surroundings, AsyncDisposable {
  readonly pids: { readonly broker: number; readonly platform: number };
  readonly brokerVersion: string;
}

export const PLATFORM_MS = 20;

export async function openStage(prefetch: number): Promise<Stage> {
  await using parts = new AsyncDisposableStack();
  const broker = parts.use(await startBroker());
  const platform = parts.use(await startPlatform(PLATFORM_MS));
  const kept = parts.move();
  return {
    amqpUrl: broker.url,
    platform: platform.variables,
    prefetch,
    pids: {
      broker: Number(await broker.ctl('eval', 'list_to_integer(os:getpid()).')),
      platform: platform.pid,
    },
    brokerVersion: broker.node.installation.version,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
