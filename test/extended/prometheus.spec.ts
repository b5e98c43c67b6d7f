import { beforeAll, describe, expect, it } from '@jest/globals';

import { startBroker } from '../../scripts/broker/start-broker.ts';
import { BROKER_SERIES, workerSeries } from '../deploy/prometheus-queries.ts';
import { sandboxedForAll } from '../e2e/commands/sandboxed-service.ts';
import { openConnection } from '../support/broker.ts';
import { Program } from '../../scripts/processes/program.ts';
import { PrometheusProcess, PROMTOOL, RUNBOOK_URL } from '../support/prometheus-process.ts';
import { stackForAll } from '../support/suite-service.ts';
import { until } from '../support/until.ts';

const MINUTE_MS = 60_000;
const ALERTMANAGER = 'deploy/prometheus/alertmanager.yml';
/** A number of commands above the threshold of each alert. */
const COMMANDS = 10;

async function promtool(...args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const { code, stdout, stderr } = await new Program('/bin/sh', [
    '-c',
    'cd deploy/prometheus && exec "$@"',
    'promtool',
    PROMTOOL,
    ...args,
  ]).result;
  return { code, output: stdout + stderr };
}

describe('deploy/prometheus', () => {
  it.each([
    ['check', 'config', 'prometheus.yml'],
    ['check', 'rules', '--lint-fatal', 'alerts.yml'],
    ['test', 'rules', 'alerts.test.yml'],
  ])('passes promtool %s %s', async (...args) => {
    expect(await promtool(...args)).toMatchObject({ code: 0, output: expect.stringContaining('SUCCESS') });
  });

  it('has a valid example for Alertmanager', async () => {
    const { code, stdout } = await new Program('/usr/bin/amtool', ['check-config', ALERTMANAGER]).result;
    expect([code, stdout]).toEqual([0, expect.stringContaining('SUCCESS')]);
  });
});

describe('a real Prometheus that scrapes RabbitMQ', () => {
  it('provides the series used by alerts and the dashboard, only for the queues of poker-bridge', async () => {
    await using broker = await startBroker({ hasMetrics: true });
    await using bus = await openConnection(broker.url);
    for (const name of ['poker.interactive', 'shop.replies.0']) await bus.channel.assertQueue(name);
    await using prometheus = await PrometheusProcess.scraping({
      workers: [],
      rabbitmq: `127.0.0.1:${broker.node.ports.metrics}`,
    });
    const scraped = 'rabbitmq_detailed_queue_consumers and on () rabbitmq_alarms_memory_used_watermark';
    await until('both pages are scraped', async () => (await prometheus.query(scraped)).length > 0);
    const found = await prometheus.query('{__name__=~"rabbitmq_.+"}');
    for (const [name, labels] of BROKER_SERIES) {
      const own = found.filter(({ metric }) => metric['__name__'] === name);
      expect([name, ...own.map(({ metric }) => Object.keys(metric).toSorted())]).toEqual([
        name,
        ['__name__', ...labels].toSorted(),
      ]);
    }
    const named = new Set(found.flatMap(({ metric }) => metric['queue'] ?? []));
    expect([...named]).toEqual(['poker.interactive']);
  });
});

describe('a real Prometheus that scrapes a worker', () => {
  const sandboxed = sandboxedForAll();
  const stack = stackForAll();
  let prometheus: PrometheusProcess;
  beforeAll(async () => {
    const workers = [new URL(await sandboxed.worker.url()).host];
    prometheus = stack.use(await PrometheusProcess.scraping({ workers }));
  });

  const firing = async (): Promise<readonly string[]> => {
    const alerts = await prometheus.alerts();
    return alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels['alertname'] ?? '');
  };

  it('scrapes all metrics, and fires no alert while all is well', async () => {
    const timestamp = Math.floor(Date.now() / 1_000);
    await sandboxed.caller.send('session.create', { userId: 'ada' }, { timestamp });
    const answered = 'poker_commands_total{outcome="success",type="session.create"} == 1';
    await until('the answer is scraped', async () => (await prometheus.query(answered)).length > 0);
    const names = (await prometheus.query('count by (__name__) ({__name__=~"poker_.+"})')).map(
      ({ metric }) => metric['__name__'],
    );
    expect(names).toEqual(expect.arrayContaining(['poker_ready', 'poker_command_wait_seconds_bucket']));
    expect(names.filter((name) => !workerSeries().has(name ?? ''))).toEqual([]);
    expect(await prometheus.query('up{job="poker-bridge"} == 1')).toHaveLength(1);
    expect(await firing()).toEqual([]);
  });

  it.each([
    ['PokerMisconfigured', { kind: 'status', status: 403 }, { userId: 'ada' }, 'FORBIDDEN'],
    ['PokerInternalErrors', { kind: 'wrong-document' }, { userId: 'ada' }, 'PLATFORM_PROTOCOL_ERROR'],
    ['PokerDeadLettersGrow', undefined, { userId: 1 }, 'VALIDATION_FAILED'],
  ])('fires %s under its fault', async (name, fault, data, code) => {
    const { caller, platform } = sandboxed;
    expect(await firing()).not.toContain(name);
    if (fault) await platform.fault({ ...fault, operation: 'session' });
    for (let i = 0; i < COMMANDS; i += 1) {
      const [reply] = await caller.send('session.create', data);
      expect(reply?.body).toMatchObject({ code });
    }
    await platform.clearFaults();
    await until(`${name} fires`, async () => (await firing()).includes(name));
    const alert = (await prometheus.alerts()).find(({ labels }) => labels['alertname'] === name);
    expect(alert?.annotations['runbook_url']).toBe(`${RUNBOOK_URL}#${name.toLowerCase()}`);
    expect(alert?.annotations['description']).toMatch(
      /^(\d+ commands|Commands) (ended as [A-Z_]+|were dead-lettered)/,
    );
  });

  it('fires PokerNoWorkerReady a minute after the only worker has stopped', async () => {
    await sandboxed.service.stop();
    await until('it fires', async () => (await firing()).includes('PokerNoWorkerReady'), 2 * MINUTE_MS);
  });
});
