import { describe, expect, it } from '@jest/globals';

import { CommandError } from '#contracts';
import { DeadlineExceeded } from '#resilience';

import { commandOf, RECEIVED_AT_MS } from '../../command/command.fixture.ts';
import { UnconfirmedError } from '../../rabbitmq/publishing/confirmed-publisher.ts';
import type { Settlement } from '../settlement.ts';
import { chain } from '../step.ts';
import { answerFailures } from './answer-failures.ts';

async function failed(thrown: unknown, attempts = 0): Promise<Extract<Settlement, { kind: 'answer' }>> {
  const command = commandOf();
  command.run.attempts = attempts;
  const step = answerFailures(() => RECEIVED_AT_MS);
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever a handler throws
  const settlement = await step(command, () => Promise.reject(thrown));
  if (settlement.kind !== 'answer') throw new Error(`the settlement is ${settlement.kind}`);
  return settlement;
}

describe('answerFailures', () => {
  it('keeps the code of a command error, and its cause for the log', async () => {
    const cause = new Error('why');
    const { reply, cause: told } = await failed(
      new CommandError('RATE_LIMITED', { retryAfterMs: 5_000, cause }),
      2,
    );
    expect(reply).toMatchObject({
      type: 'command.failed',
      data: { code: 'RATE_LIMITED', retryAfterMs: 5_000, attempts: 2 },
    });
    expect(told).toBe(cause);
  });

  it.each([
    [0, false],
    [1, true],
    [3, true],
  ])(
    'takes a passed deadline for COMMAND_EXPIRED; after %i calls, called is %j',
    async (attempts, called) => {
      expect((await failed(new DeadlineExceeded(), attempts)).reply).toMatchObject({
        data: {
          code: 'COMMAND_EXPIRED',
          category: 'expired',
          retryable: false,
          attempts,
          details: { called },
        },
      });
    },
  );

  it.each([
    ['an error', new Error('CANARY')],
    ['a type error', new TypeError('CANARY')],
    ['an error that looks like a command error', Object.assign(new Error('CANARY'), { code: 'NOT_FOUND' })],
    ['a text', 'CANARY'],
    ['an object', { code: 'NOT_FOUND', message: 'CANARY' }],
    ['nothing', undefined],
    ['null', null],
  ])('takes %s for INTERNAL_ERROR, and puts it into the log alone', async (_, thrown) => {
    const { reply, cause } = await failed(thrown);
    expect(reply).toMatchObject({ data: { code: 'INTERNAL_ERROR', category: 'internal', retryable: false } });
    expect(JSON.stringify(reply)).not.toContain('CANARY');
    expect(cause).toBe(thrown);
  });

  it('leaves a command to the broker that did not take one of its pages', async () => {
    const cause = new UnconfirmedError('no broker');
    const step = answerFailures(() => RECEIVED_AT_MS);
    expect(await step(commandOf(), () => Promise.reject(cause))).toEqual({ kind: 'return', cause });
  });

  it('waits for a page that is under way, which takes the number before', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const command = commandOf();
    command.run.sending = promise;
    let isAnswered = false;
    const step = answerFailures(() => RECEIVED_AT_MS);
    const answered = step(command, () => Promise.reject(new DeadlineExceeded())).then((settlement) => {
      isAnswered = true;
      return settlement;
    });
    await new Promise(setImmediate);
    expect(isAnswered).toBe(false);
    resolve();
    expect(await answered).toMatchObject({ kind: 'answer', reply: { data: { code: 'COMMAND_EXPIRED' } } });
  });

  it('leaves a command to the broker that did not take the page under way', async () => {
    const cause = new UnconfirmedError('no broker');
    const command = commandOf();
    command.run.sending = Promise.reject(cause);
    const step = answerFailures(() => RECEIVED_AT_MS);
    const settlement = await step(command, () => Promise.reject(new DeadlineExceeded()));
    expect(settlement).toEqual({ kind: 'return', cause });
  });

  it('answers what failed otherwise while a page was under way', async () => {
    const command = commandOf();
    command.run.sending = Promise.reject(new CommandError('REPLY_QUEUE_FULL'));
    const step = answerFailures(() => RECEIVED_AT_MS);
    const settlement = await step(command, () => Promise.reject(new DeadlineExceeded()));
    expect(settlement).toMatchObject({ reply: { data: { code: 'COMMAND_EXPIRED' } } });
  });

  it('takes what a step throws at once like what it rejects with', async () => {
    const refuse = (): never => {
      throw new CommandError('UNKNOWN_OPERATOR');
    };
    const settlement = await chain([answerFailures(() => RECEIVED_AT_MS), refuse])(commandOf());
    expect(settlement).toMatchObject({ kind: 'answer', reply: { data: { code: 'UNKNOWN_OPERATOR' } } });
  });
});
