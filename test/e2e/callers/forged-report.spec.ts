import { randomBytes, randomUUID } from 'node:crypto';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import type { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import {
  type BrokerUser,
  createBrokerUser,
  type ServiceWithCallers,
  startWithCallers,
} from './broker-user.ts';

const suffix = randomBytes(4).toString('hex');
const NEST = `nest-${suffix}`;
const FINANCE = `finance-${suffix}`;
const DELAY_MS = 200;
const PAGES = 3;
const REPORT = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00', perPage: 1 };

/** What a worker writes into a report that it postpones: as if all pages but the last had been sent. */
const FORGED = {
  'x-progress': JSON.stringify({ pages: PAGES - 1, records: PAGES - 1, firstTotal: PAGES }),
  'x-sequence': PAGES - 1,
  'x-postponed': 1,
  'x-origin-user-id': FINANCE,
  'x-seal': Buffer.alloc(32, 7).toString('base64'),
};

describe("a message that a caller with the permission of Nest's own client puts into a retry queue", () => {
  let callers: ServiceWithCallers;
  let service: ServiceUnderTest;
  let nest: BrokerUser;

  beforeAll(async () => {
    callers = await startWithCallers(PAGES, { REPORTS_RETRY_DELAYS_MS: String(DELAY_MS) });
    ({ service } = callers);
    const acme = { clientId: 'acme', secretKey: 'secret-of-acme' };
    const rules = { [NEST]: { operators: ['default'] }, [FINANCE]: { operators: ['acme'] } };
    await callers.startWorker(rules, {
      OPERATORS_FILE: callers.write('operators.json', { acme }),
    });
    // With a queue's name, that client publishes to the default exchange, from which every queue is reached.
    const patterns = [`^${NEST}\\.`, `^(${NEST}\\.|amq\\.default$)`, `^${NEST}\\.`];
    nest = await createBrokerUser(NEST, ['set_permissions', NEST, ...patterns], service);
  });
  afterAll(async () => {
    await nest?.[Symbol.asyncDispose]();
    await callers?.[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    service.platform.requests.length = 0;
  });

  /** Sends a report into the retry queue, and waits for its final reply. */
  async function forge(headers: Readonly<Record<string, unknown>>) {
    const channel = await nest.connection.createChannel();
    const correlationId = randomUUID();
    channel.sendToQueue(service.name(`reports.retry.${DELAY_MS}`), Buffer.from(JSON.stringify(REPORT)), {
      type: 'report.rake.fetch',
      correlationId,
      messageId: randomUUID(),
      replyTo: nest.replyQueue,
      userId: NEST,
      headers: { ...FORGED, ...headers },
    });
    const ofReport = () => nest.replies.filter((properties) => properties.correlationId === correlationId);
    await until('the report ends', () => ofReport().at(-1)?.headers?.['final'] === true);
    return ofReport();
  }

  it('does not make its report skip a page', async () => {
    const replies = await forge({});
    expect(replies.map(({ type, headers }) => [type, headers?.['sequence']])).toEqual([
      ['report.page', 0],
      ['report.page', 1],
      ['report.page', 2],
      ['report.completed', 3],
    ]);
    const pages = service.platform.requests.map(({ url }) => url.searchParams.get('page'));
    expect(pages).toEqual(['1', '2', '3']);
  });

  it('does not run with the rights of the caller that it names', async () => {
    const [reply] = await forge({ operator: 'acme' });
    const [body] = nest.bodies.slice(-1);
    expect([reply?.type, body?.['code']]).toEqual(['command.failed', 'CALLER_FORBIDDEN']);
    expect(service.platform.requests).toEqual([]);
  });
});
