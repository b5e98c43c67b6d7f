import { expect, it } from '@jest/globals';

import { createLogger, Metrics } from '#telemetry';

import { FailureTally } from '../console/failure-tally.ts';
import { PlatformMetrics } from './platform-metrics.ts';

it('counts and times calls in seconds, and logs a circuit that changed with its cause', async () => {
  const lines: string[] = [];
  const metrics = new Metrics();
  const logger = createLogger('info', { write: (line) => lines.push(line) });
  const observer = new PlatformMetrics(logger, metrics, new FailureTally());
  observer.attemptEnded('session.create', '2xx', 20);
  observer.attemptRefused('game.open', 'overloaded');
  observer.admissionWaited('game.open', 250);
  observer.circuitChanged('casino', 'game.open', 'open', 'HTTP 503');
  expect((await metrics.registry.metrics()).split('\n')).toEqual(
    expect.arrayContaining([
      'poker_platform_request_duration_seconds_sum{operation="session.create",result="2xx"} 0.02',
      'poker_platform_refusals_total{operation="game.open",reason="overloaded"} 1',
      'poker_admission_wait_seconds_sum{operation="game.open"} 0.25',
      'poker_circuit_changes_total{operator="casino",operation="game.open",state="open"} 1',
    ]),
  );
  const circuit = { operator: 'casino', operation: 'game.open', state: 'open', cause: 'HTTP 503' };
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ level: 'warn', ...circuit, msg: 'circuit changed' }),
  ]);
});
