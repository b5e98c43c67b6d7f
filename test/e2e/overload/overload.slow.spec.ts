import { expect, it } from '@jest/globals';

import { playCase, type Result } from '../../../lab/overload/play-case.ts';
import { goodputShare, wastedShare } from '../../../lab/overload/report.ts';
import { ROWS } from '../../../lab/overload/rows.ts';
import { testBrokerCtl, testBrokerUrl } from '../../support/broker.ts';

const LINE = { services: [{ perSecond: 20 }] };

/** The bounds are far from what an idle machine shows, so that a busy one keeps them too. */
it.each([
  { row: 'fixed-1.5s', times: 1.5, change: {}, deadlineMs: 5_000 },
  { row: 'line-20', times: 3, change: {}, deadlineMs: 15_000 },
  { row: 'caller', times: 0.5, change: LINE, deadlineMs: 15_000 },
])('a worker keeps its goodput and refuses the surplus: $row, $times times the capacity', async (given) => {
  const { times, change, deadlineMs } = given;
  const [row] = ROWS.filter(({ name }) => name === given.row).map((chosen) => ({ ...chosen, ...change }));
  const played = { row: row!, times, workers: 1, seconds: 15, deadlineMs, seed: 1 };
  const [result] = (await playCase({ url: testBrokerUrl(), ctl: testBrokerCtl }, played)) as [Result];
  const { refused, refusedP99Ms } = result.heavy ?? result.figures;
  expect(goodputShare(result)).toBeGreaterThan(0.8);
  expect(wastedShare(result)).toBeLessThan(0.1);
  expect(refused).toBeGreaterThan(0);
  expect(refusedP99Ms).toBeLessThan(3_000);
  expect(result.backMs).toBeLessThan(15_000);
});
