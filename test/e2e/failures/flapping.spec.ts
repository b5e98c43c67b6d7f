import { expect, it } from '@jest/globals';

import { healthy, PAGED_DAY } from '../../support/platform-answers.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

const PAGES = 30;
const PAGE_MS = 60;
const CUTS = 8;
/** A run has got so far when its connections are cut. */
const PAGES_BEFORE_CUT = 4;

const service = serviceForAll({
  behaviour: (request, ...rest) => void setTimeout(() => void healthy(PAGES)(request, ...rest), PAGE_MS),
  variables: { DELIVERY_LIMIT: '2' },
  workers: 1,
});

it('a report is completed, and is no poison, if the connections of its worker are cut eight times', async () => {
  const report = service.caller.send('report.ad-hoc.fetch', PAGED_DAY);
  for (let cut = 0; cut < CUTS; cut += 1) {
    const before = service.platform.requests.length;
    await until('it runs again', () => service.platform.requests.length >= before + PAGES_BEFORE_CUT);
    service.proxy.cut();
  }
  const replies = await report;
  expect(replies.at(-1)).toMatchObject({ type: 'report.completed', body: { pages: PAGES, records: PAGES } });
  expect(service.running.stdout).toContain(service.name('quarantine'));
  expect(await service.deadLetters()).toEqual([]);
});
