import { expect, it } from '@jest/globals';

import { Metrics } from './metrics.ts';

it('a metric has the name, labels, type and help text of its definition', async () => {
  const { registry, platformRefusals } = new Metrics();
  platformRefusals.labels('game.open', 'circuit').value += 1;
  const lines = (await registry.metrics()).split('\n').filter((line) => line.includes('platform_refusals'));
  expect(lines).toEqual([
    '# HELP poker_platform_refusals_total Calls that were not made, by operation and reason: ' +
      'the circuit was open, the platform overloaded, or the deadline passed.',
    '# TYPE poker_platform_refusals_total counter',
    'poker_platform_refusals_total{operation="game.open",reason="circuit"} 1',
  ]);
});
