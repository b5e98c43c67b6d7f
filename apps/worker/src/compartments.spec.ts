import { expect, it } from '@jest/globals';

import type { PlatformClient } from '#platform';

import { compartmentsOf } from './compartments.ts';

it('puts what a lane holds beside what waits for the platform', () => {
  const calls = [
    { operator: 'casino', operation: 'game.open', inFlight: 192, waiting: 300, retriesLeft: 100 },
    { operator: 'casino', operation: 'report.rake.fetch', inFlight: 2, waiting: 1, retriesLeft: 100 },
  ] as const;
  const compartments = [
    { operator: 'casino', operation: 'game.open', inFlight: 500, overflowed: 7 },
    { operator: 'default', operation: 'session.create', inFlight: 0, overflowed: 0 },
    { operator: 'gone', operation: 'session.create', inFlight: 0, overflowed: 0 },
  ];
  const get = (operator: string) => (operator === 'gone' ? undefined : ({} as PlatformClient));
  expect(compartmentsOf({ compartments }, { calls: () => calls, get })).toEqual([
    { operator: 'casino', operation: 'game.open', inFlight: 500, waiting: 300, overflowed: 7 },
    { operator: 'casino', operation: 'report.rake.fetch', inFlight: 3, waiting: 1, overflowed: 0 },
    { operator: 'default', operation: 'session.create', inFlight: 0, waiting: 0, overflowed: 0 },
  ]);
});
