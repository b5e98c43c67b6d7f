import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { COMMAND_TYPES, ERROR_CODES, LANES } from '#contracts';

import { SECRET_CANARY } from './canary.ts';
import { excessiveTable, fieldTable } from '../../support/fuzz/field-table.ts';
import { healthy } from '../../support/platform-answers.ts';
import type { PlatformBehaviour } from '../../support/platform-stub.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';
import { witnessForAll } from '../bad-input/witness.ts';
import { type CanaryCommand, canaryCommand, messageOf } from './canary-command.ts';
import { type HostileMessage, hostileMessage } from './hostile-message.ts';
import { DIRECT, finalsOf, isAccountedFor, type Outcome, settle } from './outcome.ts';
import { searchOutputs } from './outputs.ts';
import { platformAnswer } from './platform-answer.ts';

/** The number of cases, unless `npm run test:fuzz` sets a duration. */
const CASES = 40;
const MINUTES = process.env['FUZZ_MINUTES'];
const DURATION_MS = 60_000 * Number(MINUTES ?? 0);
const SEED = process.env['FUZZ_SEED'];
const PATH = process.env['FUZZ_PATH'];
/** The size of a frame. */
const MOST_RAW_BYTES = 100_000;
/**
 * With a quadratic step, the longest inputs take seconds; a busy machine occasionally causes a delay of some
 * hundred milliseconds.
 */
const MOST_DELAY_SECONDS = 1;
const MOST_MIB = 400;
const DEAD_LETTERED = ['invalid', 'internal'];
const LONGEST_FAILURE = 32 * 1024;

/** One case: messages that are sent together, and the platform's answers to consecutive requests. */
interface Case {
  readonly commands: readonly { readonly sent: CanaryCommand | HostileMessage; readonly twice: boolean }[];
  readonly answers: readonly PlatformBehaviour[];
}

const strangeHeaders: fc.Arbitrary<HostileMessage> = fc
  .tuple(hostileMessage, fc.oneof(fieldTable, excessiveTable))
  .map(([message, rawHeaders]) => ({
    ...message,
    rawHeaders,
    content: message.content.subarray(0, MOST_RAW_BYTES),
  }));

const fuzzCase: fc.Arbitrary<Case> = fc.record({
  commands: fc.array(
    fc.record({
      sent: fc.oneof(
        { weight: 8, arbitrary: canaryCommand },
        { weight: 4, arbitrary: hostileMessage },
        { weight: 1, arbitrary: strangeHeaders },
      ),
      twice: fc.nat(9).map((n) => n === 0),
    }),
    { minLength: 1, maxLength: 20 },
  ),
  answers: fc.array(platformAnswer, { minLength: 1, maxLength: 12 }),
});

describe('arbitrary messages with arbitrary answers of the platform', () => {
  const service = serviceForAll({
    behaviour: healthy(),
    variables: {
      PLATFORM_SECRET_KEY: SECRET_CANARY,
      PLATFORM_EXTRA_MEMBERS: 'session.create/gameCode,game.open/player/city,game.open/session/gameCode',
      PLATFORM_ATTEMPT_TIMEOUT_MS: '250',
      PLATFORM_MAX_ATTEMPTS: '2',
      INTERACTIVE_DEADLINE_MS: '1500',
      REPORTS_DEADLINE_MS: '2500',
      REPORTS_RETRY_DELAYS_MS: '50,200',
      CIRCUIT_OPEN_MS: '300',
      EVENTS: 'all',
      LOG_LEVEL: 'debug',
    },
    redis: true,
    workers: 1,
  });
  const witness = witnessForAll(service);
  let outputs: Awaited<ReturnType<typeof searchOutputs>>;
  const strays: unknown[] = [];

  beforeAll(async () => {
    await witness.consume(DIRECT, 'replies');
    outputs = await searchOutputs(service);
  });

  /** Sends the messages of a case, and waits for the outcome of each. */
  const play = ({ commands, answers }: Case, scope: string): Promise<Outcome[]> => {
    let requests = 0;
    service.platform.requests.length = 0;
    service.platform.behaviour = async (...call) => {
      const answer = answers[(requests += 1) % answers.length] as PlatformBehaviour;
      await Promise.resolve(answer(...call)).catch((error: unknown) => strays.push(error));
    };
    const messages = commands.flatMap(({ sent, twice }) => {
      const message = 'command' in sent ? messageOf(sent, scope) : sent;
      return twice ? [message, message] : [message];
    });
    return Promise.all(messages.map((message, index) => settle(witness, `${scope}-${index}`, message)));
  };

  it(
    'have one outcome each, and leak no data',
    async () => {
      let cases = 0;
      await fc.assert(
        fc.asyncProperty(fuzzCase, async (each) => {
          const outcomes = await play(each, `case-${(cases += 1)}`);
          await until('dead letters are there', () => outcomes.every(hasItsDeadLetter));
          expect(outcomes.filter((outcome) => !isAccountedFor(outcome))).toEqual([]);
          for (const outcome of outcomes) expectWellEnded(outcome);
          expect(outputs.search(outcomes)).toEqual([]);
          // The longest delay since the last scrape.
          const delay = await service.running.metric('nodejs_eventloop_lag_max_seconds');
          expect(delay).toBeLessThan(MOST_DELAY_SECONDS);
          expect(strays).toEqual([]);
        }),
        {
          numRuns: MINUTES === undefined ? CASES : PATH === undefined ? 1_000_000 : 1,
          plugins: MINUTES === undefined ? [] : [fc.interruptAfterTimeLimit(DURATION_MS)],
          endOnFailure: PATH === undefined && DURATION_MS < 60_000,
          ...(SEED !== undefined && { seed: Number(SEED) }),
          ...(PATH !== undefined && { path: PATH }),
        },
      );
      expect(cases).toBeGreaterThan(PATH === undefined ? 10 : 0);
    },
    2 * DURATION_MS + 240_000,
  );

  it('leave no data in health, metrics and Redis', async () => {
    expect(await outputs.searchState()).toEqual([]);
    const { body } = await service.running.get('/metrics');
    const ours = body.match(/^poker_.*$/gm)?.join('\n') ?? '';
    const labels = [...ours.matchAll(/\b(?:type|lane|operator|operation|outcome)="([^"]*)"/g)].map(
      ([, label]) => label,
    );
    const known = [...COMMAND_TYPES, ...LANES, ...Object.keys(ERROR_CODES), 'success', 'unknown', 'default'];
    expect([...new Set(labels)].filter((label) => !known.some((name) => name === label))).toEqual([]);
    const stored = await service.redis!.run(async (client) => {
      const keys = await client.keys('*');
      const values = await Promise.all(keys.map((key) => client.get(key)));
      return [...keys, JSON.stringify(values)].join('\n');
    });
    expect(stored).toContain(':identity:');
    expect(stored).not.toMatch(/ca(ñ|\\u00f1)ary\d/i);
    expect(stored).not.toContain(SECRET_CANARY);
  });

  it('leave the worker unchanged', async () => {
    service.platform.behaviour = healthy();
    await until('it serves', async () => {
      const [reply] = await service.caller.send('session.create', { userId: 'p-1' });
      return reply?.type === 'session.created';
    });
    await service.running.ready();
    expect(service.running.child.exitCode).toBeNull();
    expect(service.running.stderr).toBe('');
    expect(service.peakMib()).toBeLessThan(MOST_MIB);
    expect(service.running.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
    await service.idle();
    for (const queue of ['interactive', 'reports', 'quarantine'])
      expect([queue, await service.depth(queue)]).toEqual([queue, 0]);
  });
});

function errorOf(outcome: Outcome): Record<string, unknown> | undefined {
  const [reply] = finalsOf(outcome);
  if (reply?.properties.type !== 'command.failed') return undefined;
  const body = JSON.parse(String(reply.content)) as Record<string, unknown>;
  return (body['err'] ?? body) as Record<string, unknown>;
}

/**
 * True if the dead letter has arrived or none is required. It may arrive after the reply, because only the
 * acknowledgement waits for its confirm.
 */
function hasItsDeadLetter(outcome: Outcome): boolean {
  return outcome.deadLetters.length > 0 || !DEAD_LETTERED.includes(String(errorOf(outcome)?.['category']));
}

/**
 * Expects that the replies are numbered without gaps and follow the contract, that none is an internal error,
 * and that the command is dead-lettered if its category requires that.
 */
function expectWellEnded(outcome: Outcome): void {
  for (const { properties, content } of finalsOf(outcome)) {
    const { headers } = properties;
    expect(properties).toMatchObject({
      contentType: 'application/json',
      appId: 'poker-bridge',
      deliveryMode: 2,
    });
    expect(properties.messageId).toContain(headers?.['command-id']);
    if (properties.type !== 'command.failed') continue;
    expect(content.length).toBeLessThan(LONGEST_FAILURE);
    expect(String(content)).not.toMatch(/ at .*\.[jt]s:|node:internal/);
    expect(errorOf(outcome)).toMatchObject({
      category: expect.any(String),
      retryable: expect.any(Boolean),
      message: expect.any(String),
      attempts: expect.any(Number),
      command: { id: headers?.['command-id'], type: headers?.['command-type'] },
    });
  }
  const { replies, undelivered, deadLetters } = outcome;
  const sequence = [...replies, ...undelivered].map(
    ({ properties }) => properties.headers?.['sequence'] as unknown,
  );
  expect(sequence).toEqual(sequence.map((_, index) => index));
  const reasons = deadLetters.map(({ properties }) => properties.headers?.['x-reason'] as unknown);
  const codes = [errorOf(outcome)?.['code'], ...reasons];
  expect(codes).not.toContain('INTERNAL_ERROR');
  expect(codes).not.toContain('POISON_COMMAND');
}
