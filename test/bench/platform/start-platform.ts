import { fileURLToPath } from 'node:url';

import { freePorts } from '../../../scripts/network.ts';
import { ServiceProcess } from '../../../scripts/processes/service-process.ts';
import type { Workplace } from '../stage/workplace.ts';

const SECRET_KEY = 'bench-secret-key';
const TIMEOUT_MS = 20_000;

/** Those in this folder. */
export type PlatformProgram = 'main' | 'reports';

export interface BenchPlatform extends AsyncDisposable {
  readonly process: ServiceProcess;
  /** What points a worker here. */
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * @param latencyMs how long it takes to answer
 * @param program of this folder; default: the one that knows sessions alone, and checks their signatures
 * @param records of each report, if that is `reports`
 */
export async function startPlatform(
  workplace: Workplace,
  latencyMs: number,
  program: PlatformProgram = 'main',
  records = 0,
): Promise<BenchPlatform> {
  const [port = 0] = await freePorts(1);
  const variables = {
    PORT: String(port),
    LATENCY_MS: String(latencyMs),
    REPORT_RECORDS: String(records),
    SECRET_KEY,
  };
  const process = new ServiceProcess({
    args: [fileURLToPath(new URL(`${program}.ts`, import.meta.url))],
    variables,
    log: workplace.log('platform'),
    // It is there from the first to the last: what belongs to the run goes with it.
    folder: workplace.folder,
  });
  const origin = `http://127.0.0.1:${port}`;
  const listens = (): Promise<boolean> =>
    fetch(origin, { method: 'HEAD' }).then(
      () => true,
      () => false,
    );
  await process.until('listen', listens, TIMEOUT_MS);
  return {
    process,
    variables: {
      PLATFORM_BASE_URL: `${origin}/api/web`,
      PLATFORM_API_URL: origin,
      PLATFORM_CLIENT_ID: 'bench',
      PLATFORM_SECRET_KEY: SECRET_KEY,
    },
    [Symbol.asyncDispose]: () => process[Symbol.asyncDispose](),
  };
}
