import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { Lanes } from '../../bench/lanes/lanes.ts';
import { REPORT_ENDPOINTS, type ReportEndpoint } from '../../bench/lanes/report-endpoints.ts';
import { testBrokerUrl } from '../../support/broker.ts';

const HOUR_MS = 3_600_000;

/** Why stuck reports do not affect players; test/timing measures that. */
describe('players while hundreds of reports are stuck', () => {
  let lanes: Lanes;
  beforeAll(async () => {
    lanes = await Lanes.start({
      url: testBrokerUrl(),
      ratePerSecond: 100,
      phaseMs: 1_250,
      reports: 250,
      // On a busy machine, a report that is held back must not be late before all the others are queued.
      variables: { INTERACTIVE_DEADLINE_MS: '600000', PLATFORM_ATTEMPT_TIMEOUT_MS: String(HOUR_MS) },
    });
  });
  afterAll(() => lanes?.[Symbol.asyncDispose]());

  it.each(Object.keys(REPORT_ENDPOINTS) as ReportEndpoint[])(
    'are all served, over the connections that reports leave free, while the report endpoint %s',
    async (endpoint) => {
      const pair = await lanes.pair(endpoint);
      for (const { load, openCircuits } of pair) {
        expect(load.failures).toEqual({});
        expect(openCircuits).toEqual([]);
      }
      const [, { mostReports, reportsWaiting }] = pair;
      expect(mostReports).toBeGreaterThan(0);
      // Half of them, and those whose end the platform has not noticed yet.
      expect(mostReports).toBeLessThan(0.75 * lanes.connections);
      expect(reportsWaiting).toBeGreaterThan(100);
    },
  );
});
