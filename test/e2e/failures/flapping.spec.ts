import { expect, it } from '@jest/globals';

import type { ReceivedReply } from '../../support/bus-caller.ts';
import { healthy, PAGED_DAY } from '../../support/platform-answers.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';

const PAGE_MS = 60;
const CUTS = 8;
/** The number of pages that a run has fetched when its connections are cut. */
const PAGES_BEFORE_CUT = 4;
/** More than a worker that continues after each cut has fetched at the last one. */
const PAGES = 40;

/** The pages that the platform still answers; it holds further ones until the next cut. */
let allowed = 0;
const held: { readonly worker: string; readonly answer: () => void }[] = [];

const service = serviceForAll({
  behaviour: (request, ...rest) => {
    const answer = () => void setTimeout(() => void healthy(PAGES)(request, ...rest), PAGE_MS);
    allowed -= 1;
    if (allowed >= 0) answer();
    else held.push({ worker: String(request.headers['user-agent']), answer });
  },
  variables: { DELIVERY_LIMIT: '2' },
});

it.each([1, 2])(
  'completes a report while the connections of its worker, of %i workers, are cut eight times',
  async (count) => {
    await using stack = new AsyncDisposableStack();
    const paths = await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const name = `worker-${index}`;
        const proxy = stack.use(await TcpProxy.start(service.url));
        const variables = { AMQP_URL: proxy.through(service.url), PLATFORM_USER_AGENT: name };
        return { name, proxy, worker: stack.use(await service.worker(variables)) };
      }),
    );
    allowed = PAGES_BEFORE_CUT;
    const correlationId = `report-${count}`;
    service.caller.publish('report.ad-hoc.fetch', PAGED_DAY, { messageId: correlationId, correlationId });
    for (let cuts = 1; cuts <= CUTS; cuts += 1) {
      await until('it runs again', () => held.length > 0);
      paths.find(({ name }) => name === held.at(-1)?.worker)?.proxy.cut();
      allowed = cuts < CUTS ? PAGES_BEFORE_CUT : Infinity;
      for (const { answer } of held.splice(0)) answer();
    }
    const isLast = (reply: ReceivedReply) =>
      reply.correlationId === correlationId && reply.headers['final'] === true;
    const last = await until('it ends', () => service.caller.received.find(isLast));
    expect(last).toMatchObject({ type: 'report.completed', body: { pages: PAGES, records: PAGES } });
    expect(paths.map(({ worker }) => worker.stdout).join('')).toContain(service.name('quarantine'));
    expect(await service.deadLetters()).toEqual([]);
  },
);
