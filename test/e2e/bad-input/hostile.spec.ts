import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import type { WorkerProcess } from '../../../scripts/processes/worker-process.ts';
import { hostileMessage } from './hostile-message.ts';
import { type Entry, Ledger } from './ledger.ts';

const RUNS = 400;
const LONGEST_REPLY = 32 * 1024;
const INVALID = [
  'MALFORMED_MESSAGE',
  'MESSAGE_TOO_LARGE',
  'UNKNOWN_COMMAND',
  'UNSUPPORTED_VERSION',
  'VALIDATION_FAILED',
  'UNKNOWN_OPERATOR',
  'REPLY_TO_MISSING',
  'REPLY_TO_FORBIDDEN',
  'IDEMPOTENCY_CONFLICT',
];

describe('any message at all', () => {
  let service: ServiceUnderTest;
  let worker: WorkerProcess;
  let ledger: Ledger;

  beforeAll(async () => {
    service = await ServiceUnderTest.start({ behaviour: healthy(2) });
    worker = await service.worker();
    ledger = await Ledger.open(service);
  });
  afterAll(async () => service?.[Symbol.asyncDispose]());

  it('ends in one way that the contract describes', async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(hostileMessage, async (message) => {
        const entry = await ledger.settle(`run-${(runs += 1)}`, message);
        for (const reply of [...entry.replies, ...entry.undelivered]) expectReply(reply);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });

  it('is dead-lettered if and only if its category is invalid', async () => {
    const entries = [...ledger.entries.values()];
    const codes = entries.map(codeOf).map((code) => (INVALID.includes(String(code)) ? [code] : []));
    const reasons = () =>
      entries.map(({ deadLetters }) =>
        deadLetters.map(({ properties }) => properties.headers?.['x-reason'] as unknown),
      );
    await until('the dead letters are there', () => reasons().flat().length >= codes.flat().length);
    expect(reasons()).toEqual(codes);
  });

  it('is answered once', () => {
    for (const { replies, undelivered } of ledger.entries.values()) {
      expect(replies.length + undelivered.length).toBeLessThanOrEqual(1);
    }
  });

  it('leaves the worker unchanged', async () => {
    const [reply] = await service.caller.send('session.create', { userId: 'p-1' });
    expect(reply?.type).toBe('session.created');
    expect(worker.stderr).toBe('');
    expect(worker.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  });

  /** The code of its failure; if it cannot be answered, that of its dead letter. */
  function codeOf({ replies, undelivered, deadLetters }: Entry): string | undefined {
    const [reply] = [...replies, ...undelivered];
    if (!reply) return String(deadLetters[0]?.properties.headers?.['x-reason']);
    return errorIn(reply.content)?.['code'] as string | undefined;
  }
});

function expectReply({ properties, content }: Entry['replies'][number]): void {
  const headers = properties.headers ?? {};
  expect(properties).toMatchObject({
    contentType: 'application/json',
    appId: 'poker-bridge',
    deliveryMode: 2,
    messageId: expect.stringContaining(String(headers['command-id'])),
  });
  expect(content.length).toBeLessThan(LONGEST_REPLY);
  const error = errorIn(content);
  expect(properties.type === 'command.failed').toBe(error !== undefined);
  if (!error) return;
  expect(error).toMatchObject({
    category: expect.any(String),
    retryable: expect.any(Boolean),
    message: expect.any(String),
    attempts: expect.any(Number),
    command: { id: headers['command-id'], type: headers['command-type'] },
  });
  expect(String(content)).not.toMatch(/ at .*\.[jt]s:|node:internal|__proto__":\{|secret/);
}

function errorIn(content: Buffer): Record<string, unknown> | undefined {
  const body = JSON.parse(String(content)) as Record<string, unknown>;
  const error = (body['err'] ?? body) as Record<string, unknown>;
  return typeof error['code'] === 'string' ? error : undefined;
}
