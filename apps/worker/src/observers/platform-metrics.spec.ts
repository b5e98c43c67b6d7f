import { describe, expect, it } from '@jest/globals';

import { createLogger, Metrics } from '#telemetry';

import { FailureTally } from '../console/failure-tally.ts';
import { PlatformMetrics } from './platform-metrics.ts';

async function seriesAfter(act: (observer: PlatformMetrics) => void): Promise<string[]> {
  const metrics = new Metrics();
  act(new PlatformMetrics(createLogger('silent'), metrics, new FailureTally()));
  const text = await metrics.registry.metrics();
  return text.split('\n').filter((line) => line.startsWith('poker_'));
}

describe('PlatformMetrics', () => {
  it('counts each call by operation and result, with its time in seconds', async () => {
    const series = await seriesAfter((observer) => {
      observer.attemptEnded('session.create', '2xx', 20);
      observer.attemptEnded('session.create', '5xx', 100);
    });
    const labels = (result: string) => `{operation="session.create",result="${result}"}`;
    expect(series).toContain(`poker_platform_requests_total${labels('2xx')} 1`);
    expect(series).toContain(`poker_platform_requests_total${labels('5xx')} 1`);
    expect(series).toContain(`poker_platform_request_duration_seconds_sum${labels('2xx')} 0.02`);
  });

  it('counts the retries', async () => {
    expect(await seriesAfter((observer) => observer.retried())).toContain('poker_platform_retries_total 1');
  });

  it('counts the calls that were not made, by reason, and times those that waited', async () => {
    const series = await seriesAfter((observer) => {
      observer.attemptRefused('game.open', 'overloaded');
      observer.admissionWaited('game.open', 250);
    });
    expect(series).toContain('poker_platform_refusals_total{operation="game.open",reason="overloaded"} 1');
    expect(series).toContain('poker_admission_wait_seconds_sum{operation="game.open"} 0.25');
  });

  it('counts the changes of a circuit', async () => {
    const series = await seriesAfter((observer) => observer.circuitChanged('casino', 'game.open', 'open'));
    const labels = '{operator="casino",operation="game.open",state="open"}';
    expect(series).toContain(`poker_circuit_changes_total${labels} 1`);
  });

  it('logs a circuit that changed', () => {
    const lines: string[] = [];
    const logger = createLogger('info', { write: (line) => lines.push(line) });
    new PlatformMetrics(logger, new Metrics(), new FailureTally()).circuitChanged(
      'casino',
      'game.open',
      'open',
      'HTTP 503',
    );
    expect(JSON.parse(lines.join(''))).toMatchObject({
      level: 'warn',
      operator: 'casino',
      operation: 'game.open',
      state: 'open',
      cause: 'HTTP 503',
    });
  });
});
