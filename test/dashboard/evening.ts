import { setTimeout as sleep } from 'node:timers/promises';

import { startBroker } from '../../scripts/broker/start-broker.ts';
import { freePorts } from '../../scripts/network.ts';
import { startSandboxedService } from '../e2e/commands/sandboxed-service.ts';
import { PrivateRedis } from '../support/private-redis.ts';
import { type Range, PrometheusProcess } from '../support/prometheus-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { Load } from './load.ts';

/** Small enough to be filled by a load that two processors can serve. */
const WORKER = {
  INTERACTIVE_PREFETCH: '48',
  INTERACTIVE_DEADLINE_MS: '8000',
  PLATFORM_ATTEMPT_TIMEOUT_MS: '5000',
  PLATFORM_CONNECTIONS: '8',
  CIRCUIT_WINDOW_MS: '4000',
  CIRCUIT_OPEN_MS: '1500',
  REPORTS_RETRY_DELAYS_MS: '2000,5000',
};
/** RabbitMQ updates the lengths of queues each second. */
const BROKER = ['{collect_statistics_interval, 1000}', '{quorum_tick_interval, 1000}'];
const SANDBOX = { SANDBOX_LATENCY_MS: '30', SANDBOX_LATENCY_SPREAD_MS: '80', SANDBOX_REPORT_RECORDS: '60' };
const OPERATORS = { acme: { clientId: 'sandbox', secretKey: 'sandbox-secret-key' } };
/** Time until the first counters are scraped. */
const SETTLE_MS = 3_000;

/**
 * Plays an evening on which everything happens: two workers, Redis and a sandbox under load while games
 * become slow, the platform fails, signatures are doubted, Redis and the broker go away, a queue is deleted
 * and a worker dies. A real Prometheus scrapes both workers and RabbitMQ each second.
 *
 * @param forMs how long it takes; a minute shows everything
 * @returns the running Prometheus and the time range of its samples; everything else has stopped
 */
export async function playEvening(forMs: number) {
  await using own = new AsyncDisposableStack();
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryFolder());
  const broker = stack.use(await startBroker({ hasMetrics: true, settings: BROKER }));
  const redis = stack.use(await PrivateRedis.start());
  const [port = 0] = await freePorts(1);
  const sandboxed = stack.use(
    await startSandboxedService({
      sandbox: SANDBOX,
      worker: {
        ...WORKER,
        REDIS_URL: redis.url,
        OPERATORS_FILE: folder.write('operators.json', JSON.stringify(OPERATORS)),
      },
      url: broker.url,
    }),
  );
  const start = () => sandboxed.service.worker({ HTTP_PORT: String(port) });
  let second = await start();
  const targets = [new URL(await sandboxed.worker.url()).host, `127.0.0.1:${port}`];
  const prometheus = own.use(
    await PrometheusProcess.scraping({
      workers: targets,
      rabbitmq: `127.0.0.1:${broker.node.ports.metrics}`,
      prefix: sandboxed.service.prefix,
    }),
  );
  await sleep(SETTLE_MS);
  const startedAt = Date.now();
  const load = stack.use(new Load(sandboxed.caller));
  const { platform, service, caller } = sandboxed;
  /** Each fault starts and ends at a share of the evening. */
  const at = (share: number) => sleep(Math.max(0, startedAt + share * forMs - Date.now()));

  await at(0.18);
  await platform.fault({ kind: 'latency', fixedMs: 2_500, operation: 'open-game' });
  load.surge = 10;
  await at(0.3);
  load.surge = 1;
  await platform.clearFaults();

  await at(0.42);
  await platform.fault({ kind: 'status', status: 503 });
  await at(0.47);
  await redis.kill();
  await at(0.56);
  await platform.clearFaults();
  await redis.restart();

  await at(0.66);
  await platform.fault({ kind: 'status', status: 400, operation: 'session', share: 0.3 });
  await at(0.7);
  await platform.clearFaults();

  await at(0.73);
  await platform.fault({ kind: 'latency', fixedMs: 1_000 });
  await sleep(1_000);
  // The broker never confirms these replies, so their commands are returned.
  service.proxy.stall();
  await sleep(1_500);
  service.proxy.refuse();
  service.proxy.cut();
  // Commands wait in their queue for longer than a scrape takes.
  await sleep(2_000);
  service.proxy.resume();
  await service.proxy.open();
  await platform.clearFaults();
  await at(0.84);
  await caller.channel.deleteQueue(service.name('quarantine'));
  await at(0.87);
  second.kill('SIGKILL');
  await second.ended();
  await at(0.9);
  second = await start();
  await at(1);
  const range: Range = { start: startedAt / 1_000, end: Date.now() / 1_000 };
  const kept = own.move();
  return { prometheus, range, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
