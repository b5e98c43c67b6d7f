import { startBroker } from '../../../scripts/broker/start-broker.ts';
import { type PlatformProgram, startPlatform } from '../platform/start-platform.ts';
import { createWorkplace, type Workplace } from './workplace.ts';

export interface StageOptions {
  /** How long the platform takes to answer. Default: 20 ms. */
  readonly latencyMs?: number;
  /** Commands that a worker has in flight at most. Default: 100. */
  readonly prefetch?: number;
  /** The folder of another checkout, built, that is measured beside this one. */
  readonly other?: string;
  /** Of `test/bench/platform`. Default: `main`, which knows sessions alone, and checks their signatures. */
  readonly program?: PlatformProgram;
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
  other,
  program = 'main',
}: StageOptions = {}): Promise<Stage> {
  await using parts = new AsyncDisposableStack();
  const workplace = parts.use(await createWorkplace(other));
  const broker = parts.use(await startBroker());
  const platform = parts.use(await startPlatform(workplace, latencyMs, program));
  const facts = await broker.ctl('eval', '{os:getpid(), rabbit_misc:version()}.');
  const [, pid, brokerVersion = ''] = /"(\d+)",\s*"([^"]+)"/.exec(facts) ?? [];
  const kept = parts.move();
  return {
    workplace,
    amqpUrl: broker.url,
    platform: platform.variables,
    prefetch,
    pids: { broker: Number(pid), platform: platform.process.pid },
    brokerVersion,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
