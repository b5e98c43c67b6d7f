import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { startBroker } from '../../../scripts/broker/start-broker.ts';
import { operatorOf } from '../driver/workload.ts';
import { startPlatform } from '../platform/start-platform.ts';
import { createWorkplace, type Workplace } from './workplace.ts';

export interface StageOptions {
  /** How long the platform takes to answer. Default: 20 ms. */
  readonly latencyMs?: number;
  /** Commands that a worker has in flight at most. Default: 100. */
  readonly prefetch?: number;
  /** The folder of another checkout, built, that is measured beside this one. */
  readonly other?: string;
  /** That a worker of ours serves. Default: 1. */
  readonly operators?: number;
}

/** Everything around the workers that are measured: a private broker, a platform, and a place for files. */
export interface Stage extends AsyncDisposable {
  readonly workplace: Workplace;
  readonly amqpUrl: string;
  /** What points a worker to the platform. */
  readonly platform: Readonly<Record<string, string>>;
  readonly prefetch: number;
  readonly pids: { readonly broker: number; readonly platform: number };
  /** For example `3.10.8`. */
  readonly brokerVersion: string;
}

export async function openStage({
  latencyMs = 20,
  prefetch = 100,
  operators = 1,
  other,
}: StageOptions = {}): Promise<Stage> {
  await using parts = new AsyncDisposableStack();
  const workplace = parts.use(await createWorkplace(other));
  const broker = parts.use(await startBroker());
  const platform = parts.use(await startPlatform(workplace, latencyMs));
  const facts = await broker.ctl('eval', '{os:getpid(), rabbit_misc:version()}.');
  const [, pid, brokerVersion = ''] = /"(\d+)",\s*"([^"]+)"/.exec(facts) ?? [];
  const kept = parts.move();
  return {
    workplace,
    amqpUrl: broker.url,
    platform: { ...platform.variables, ...operatorsFile(workplace, operators, platform.variables) },
    prefetch,
    pids: { broker: Number(pid), platform: platform.process.pid },
    brokerVersion,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** The operators beside the default one, all of them with its key. */
function operatorsFile(
  { folder }: Workplace,
  operators: number,
  { PLATFORM_SECRET_KEY: secretKey }: Readonly<Record<string, string>>,
): Record<string, string> {
  if (operators === 1) return {};
  const file = join(folder, 'operators.json');
  const names = Array.from({ length: operators - 1 }, (_, index) => operatorOf(index + 1));
  const entries = names.map((name) => [name, { clientId: 'bench', secretKey }]);
  writeFileSync(file, JSON.stringify(Object.fromEntries(entries)));
  return { OPERATORS_FILE: file };
}
