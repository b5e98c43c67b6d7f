import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';

import { StateMetric } from './state-metric.ts';

function laneState(registry: Registry): StateMetric {
  return new StateMetric({
    name: 'lane_state',
    help: 'State.',
    type: 'gauge',
    labelNames: ['lane', 'state'],
    registry,
  });
}

describe('StateMetric', () => {
  it('shows what its source says at each reading, and nothing of what has gone', async () => {
    const registry = new Registry();
    const states = new Map([['reports', 'paused']]);
    laneState(registry).readBy(() =>
      [...states].map(([lane, state]) => ({ labels: { lane, state }, value: 1 })),
    );
    expect(await registry.metrics()).toContain('lane_state{lane="reports",state="paused"} 1\n');
    states.delete('reports');
    states.set('interactive', 'consuming');
    const text = await registry.metrics();
    expect(text).toContain('lane_state{lane="interactive",state="consuming"} 1\n');
    expect(text).not.toContain('paused');
  });

  it('is named before anything reads it, without a series', async () => {
    const registry = new Registry();
    laneState(registry);
    expect(await registry.metrics()).toBe('# HELP lane_state State.\n# TYPE lane_state gauge\n');
  });

  it('may have no label', async () => {
    const registry = new Registry();
    const ready = new StateMetric({ name: 'ready', help: 'Ready.', type: 'gauge', labelNames: [], registry });
    ready.readBy(() => [{ value: 1 }]);
    expect(await registry.metrics()).toContain('\nready 1\n');
  });
});
