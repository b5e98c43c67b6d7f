import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Options } from 'amqplib';

import { atRate } from '../../../test/support/interactive-load.ts';
import { healthy, playerOf, unavailable } from '../../../test/support/platform-answers.ts';
import type { PlatformBehaviour } from '../../../test/support/platform-stub.ts';
import type { ServiceUnderTest } from '../../../test/support/service-under-test.ts';
import { PLATFORM_MS } from '../stage.ts';

/** A player whose session or game takes this long, or is never answered. */
export function playerThatTakes(answer: number | 'never', name: string): string {
  return `takes-${answer}-${name}`;
}

/** The operator whose reports are answered 503, and the one whose reports are never answered. */
export const DOWN = 'operator-1';
export const SILENT = 'operator-2';
/** The operator whose platform is another process, and has long reports. */
export const REPORTING = 'reporting';

/**
 * Answers each player after the time that his id names, by default 20 ms, and a rake report with one record.
 */
export const apartPlatform: PlatformBehaviour = async (request, response, socket) => {
  const player = playerOf(request);
  if (player === undefined) {
    const operator = request.url.searchParams.get('clientId');
    if (operator === SILENT) return;
    if (operator === DOWN) return unavailable(request, response, socket);
    await sleep(PLATFORM_MS);
    return healthy(1)(request, response, socket);
  }
  const [, answer] = /^takes-(\d+|never)-/.exec(player) ?? [];
  if (answer === 'never') return;
  await sleep(answer === undefined ? PLATFORM_MS : Number(answer));
  await healthy()(request, response, socket);
};

/** A fault. It lasts until `signal` aborts. */
export type Fault = (service: ServiceUnderTest, signal: AbortSignal) => Promise<void>;

export const REPORT = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };
const REPORTS = 4;
const LOOK_MS = 250;
const CALLERS_RATE = 40;
const GAMES_RATE = 60;
const ILL_RATE = 12;
export const FAILING_OPERATORS = 10;
const FILLERS = 100;

/** A caller whose reply queue is full and refuses. */
export const fullReplyQueue: Fault = async (service, signal) => {
  const replyTo = await fullQueue(service);
  const send = () => publish(service, 'session.create', { userId: randomUUID() }, { replyTo });
  void atRate(CALLERS_RATE, () => signal.aborted, send);
};

/** A listener on the events whose queue is full and refuses. */
export const fullListener: Fault = async (service) => {
  const { channel } = service.caller;
  await channel.bindQueue(await fullQueue(service), service.name('events'), '#');
};

export const games =
  (answer: number | 'never'): Fault =>
  async (service, signal) => {
    const replyTo = await sink(service);
    const send = () =>
      publish(service, 'game.open', { player: { id: playerThatTakes(answer, randomUUID()) } }, { replyTo });
    void atRate(GAMES_RATE, () => signal.aborted, send);
  };

export const otherOperator: Fault = async (service, signal) => {
  const replyTo = await sink(service);
  const send = () => illSession(service, 'operator-1', 3_000, replyTo);
  void atRate(GAMES_RATE, () => signal.aborted, send);
};

/** Ten operators, of which some are slow and some never answer. */
export const failingOperators: Fault = async (service, signal) => {
  const replyTo = await sink(service);
  const send = (index: number): void => {
    const operator = 1 + (index % FAILING_OPERATORS);
    illSession(service, `operator-${operator}`, operator % 2 === 0 ? 3_000 : 'never', replyTo);
  };
  void atRate(ILL_RATE * FAILING_OPERATORS, () => signal.aborted, send);
};

/**
 * Keeps four reports running. Their pages are neither generated nor read in this process because it measures
 * the players.
 *
 * @param data of each report
 */
export const reports =
  (data: object = REPORT): Fault =>
  async (service, signal) => {
    const dropping = { exclusive: true, arguments: { 'x-max-length': 1 } };
    const { queue: replyTo } = await service.caller.channel.assertQueue('', dropping);
    const options = { replyTo, headers: { operator: REPORTING } };
    void (async () => {
      while (!signal.aborted) {
        const looking = service.running.metric('poker_commands_in_flight', 'lane="reports"');
        // The worker may be stopping.
        const inFlight = await looking.catch(() => REPORTS);
        for (let left = REPORTS - inFlight; left > 0; left -= 1)
          publish(service, 'report.ad-hoc.fetch', data, options);
        await sleep(LOOK_MS);
      }
    })();
  };

/** Reports whose caller does not consume the pages. */
export const reportsForFullQueue: Fault = async (service) => {
  const replyTo = await fullQueue(service);
  for (let report = 0; report < 40; report += 1) publish(service, 'report.rake.fetch', REPORT, { replyTo });
};

export const sixtyReportsOf =
  (operator: string): Fault =>
  async (service) => {
    const options = { replyTo: await sink(service), headers: { operator } };
    for (let report = 0; report < 60; report += 1) publish(service, 'report.rake.fetch', REPORT, options);
  };

/** All faults at once. */
export const together =
  (...faults: readonly Fault[]): Fault =>
  async (service, signal) => {
    for (const fault of faults) await fault(service, signal);
  };

function illSession(
  service: ServiceUnderTest,
  operator: string,
  answer: number | 'never',
  replyTo: string,
): void {
  const userId = playerThatTakes(answer, randomUUID());
  publish(service, 'session.create', { userId }, { replyTo, headers: { operator } });
}

function publish({ caller }: ServiceUnderTest, type: string, data: object, options: Options.Publish): void {
  caller.publish(type, data, { messageId: randomUUID(), ...options });
}

/** A durable queue, replicated to every node, with a limit of one message. */
async function fullQueue({ caller: { channel } }: ServiceUnderTest): Promise<string> {
  const queue = `full-${randomUUID()}`;
  await channel.assertQueue(queue, {
    durable: true,
    arguments: { 'x-queue-type': 'quorum', 'x-max-length': 1, 'x-overflow': 'reject-publish' },
  });
  // The queue accepts some more messages before it enforces the limit.
  for (let filler = 0; filler < FILLERS; filler += 1) channel.sendToQueue(queue, Buffer.from('full'));
  return queue;
}

/** A reply queue whose replies are not inspected. */
async function sink({ caller: { channel } }: ServiceUnderTest): Promise<string> {
  const { queue } = await channel.assertQueue('', { exclusive: true });
  await channel.consume(queue, () => undefined, { noAck: true });
  return queue;
}
