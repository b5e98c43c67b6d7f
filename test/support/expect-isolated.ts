import { expect } from '@jest/globals';

import type { Lanes, Phase } from '../bench/lanes/lanes.ts';

/** That players were all served, over the connections that reports leave to them, in a phase without reports and one with. */
export function expectIsolated({ connections }: Lanes, pair: readonly [Phase, Phase]): void {
  for (const { load, openCircuits } of pair) {
    expect(load.failures).toEqual({});
    expect(openCircuits).toEqual([]);
  }
  const [, { mostReports, reportsWaiting }] = pair;
  expect(mostReports).toBeGreaterThan(0);
  // Half of them, and those that the platform does not yet know to be cut off.
  expect(mostReports).toBeLessThan(0.75 * connections);
  expect(reportsWaiting).toBeGreaterThan(100);
}
