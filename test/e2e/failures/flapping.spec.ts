import { expect, it } from '@jest/globals';

import { healthy, PAGED_DAY } from '../../support/platform-answers.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';

const PAGES = 30;
const PAGE_MS = 60;
const CUTS = 8;
/** The number of pages that a run has fetched when its connections are cut. */
const PAGES_BEFORE_CUT = 4;

const service = serviceForAll({
  behaviour: (request, ...rest) => void setTimeout(() => void healthy(PAGES)(request, ...rest), PAGE_MS),
  variables: { DELIVERY_LIMIT: '2' },
});

it.each([1, 2])(
  'completes a report while the connections of its worker, of %i workers, are cut eight times',
  async (count) => {
    await using stack = new AsyncDisposableStack();
    const paths = await Promise.all(
      Array.from({ length: count }, async () => {
        const proxy = stack.use(await TcpProxy.start(service.url));
        const worker = stack.use(await service.worker({ AMQP_URL: proxy.through(service.url) }));
        return { proxy, worker };
      }),
    );
    const report = service.caller.send('report.ad-hoc.fetch', PAGED_DAY);
    for (let cut = 0; cut < CUTS; cut += 1) {
      const before = service.platform.requests.length;
      await until('it runs again', () => service.platform.requests.length >= before + PAGES_BEFORE_CUT);
      const inFlight = await Promise.all(
        paths.map(({ worker }) => worker.metric('poker_commands_in_flight')),
      );
      paths[inFlight.findIndex((commands) => commands > 0)]?.proxy.cut();
    }
    const replies = await report;
    expect(replies.at(-1)).toMatchObject({
      type: 'report.completed',
      body: { pages: PAGES, records: PAGES },
    });
    expect(paths.map(({ worker }) => worker.stdout).join('')).toContain(service.name('quarantine'));
    expect(await service.deadLetters()).toEqual([]);
  },
);
