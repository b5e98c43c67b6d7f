import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';

import { Metrics } from './metrics.ts';
import { StateMetric } from './plain-metric.ts';

describe('Metrics', () => {
  it('shows what has no label as 0 before anything has happened', async () => {
    const text = await new Metrics().registry.metrics();
    const names = 'platform_retries replays dead_letters replies_undelivered replies_forwarded'.split(' ');
    for (const name of names) expect(text).toContain(`\npoker_${name}_total 0\n`);
    expect(text).toContain('\npoker_broker_connected 0\n');
    expect(text).toContain('\nnodejs_eventloop_lag_seconds');
  });
});

describe('StateMetric', () => {
  it('shows what its source says at each reading, and nothing of what has gone', async () => {
    const registry = new Registry();
    const states = new Map([['reports', 'paused']]);
    const facts = { name: 'lane_state', help: 'State.', type: 'gauge', registry } as const;
    const metric = new StateMetric({ ...facts, labelNames: ['lane', 'state'] });
    expect(await registry.metrics()).toBe('# HELP lane_state State.\n# TYPE lane_state gauge\n');
    metric.readBy(() => [...states].map(([lane, state]) => ({ labels: { lane, state }, value: 1 })));
    expect(await registry.metrics()).toContain('lane_state{lane="reports",state="paused"} 1\n');
    states.delete('reports');
    states.set('interactive', 'consuming');
    const text = await registry.metrics();
    expect(text).toContain('lane_state{lane="interactive",state="consuming"} 1\n');
    expect(text).not.toContain('paused');
  });
});
