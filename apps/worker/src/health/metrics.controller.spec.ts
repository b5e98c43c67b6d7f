import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';

import type { PokerTransport } from '#messaging';
import type { CircuitState, PlatformClients } from '#platform';
import { Metrics } from '#telemetry';

import { MetricsController } from './metrics.controller.ts';

describe('MetricsController', () => {
  it.each([
    ['closed', 0],
    ['half-open', 1],
    ['open', 2],
  ] as const)('shows a circuit that is %s as %i, at the time of the scrape', async (state, value) => {
    const circuit: { state: CircuitState } = { state: 'closed' };
    const facts = { operator: 'casino', operation: 'game.open' };
    const platform = { circuits: () => [{ ...facts, ...circuit }], calls: () => [] };
    const transport = { health: { compartments: [] } };
    const controller = new MetricsController(
      new Metrics(),
      platform as unknown as PlatformClients,
      transport as unknown as PokerTransport,
    );
    circuit.state = state;
    const series = 'poker_circuit_state{operator="casino",operation="game.open"}';
    expect(await controller.read()).toContain(`\n${series} ${value}\n`);
  });

  it('shows no circuit of an operator that is gone', async () => {
    const circuits = [{ operator: 'casino', operation: 'game.open', state: 'open' }];
    const platform = { circuits: () => circuits, calls: () => [] } as unknown as PlatformClients;
    const transport = { health: { compartments: [] } } as unknown as PokerTransport;
    const controller = new MetricsController(new Metrics(), platform, transport);
    expect(await controller.read()).toContain('operator="casino"');
    circuits.pop();
    expect(await controller.read()).not.toContain('operator="casino"');
  });
});
