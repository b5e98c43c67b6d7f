import { afterAll, beforeAll, describe, it } from '@jest/globals';

import { Lanes } from '../../bench/lanes/lanes.ts';
import { REPORT_ENDPOINTS, type ReportEndpoint } from '../../bench/lanes/report-endpoints.ts';
import { testBrokerUrl } from '../../support/broker.ts';
import { expectIsolated } from '../../support/expect-isolated.ts';

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
    'are all served, over the connections that reports leave to them, if the report endpoint %s',
    async (endpoint) => {
      expectIsolated(lanes, await lanes.pair(endpoint));
    },
  );
});
