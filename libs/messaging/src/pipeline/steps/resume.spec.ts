import { describe, expect, it } from '@jest/globals';

import { CommandError } from '#contracts';

import type { Command } from '../../command/command.ts';
import { commandOf } from '../../command/command.fixture.ts';
import { UnconfirmedError } from '../../rabbitmq/publishing/confirmed-publisher.ts';
import { InterruptedRuns } from '../interrupted-runs.ts';
import type { Settlement } from '../settlement.ts';
import type { Step } from '../step.ts';
import { resume } from './resume.ts';

const ANSWERED = { kind: 'answer' } as Settlement;
const PROGRESS = { pages: 5, records: 10, firstTotal: 20 };

type Facts = NonNullable<Parameters<typeof commandOf>[0]>;

const reportOf = ({ properties, ...facts }: Facts = {}): Command =>
  commandOf({
    queue: 'poker.reports',
    properties: { type: 'report.rake.fetch', ...properties },
    body: { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00' },
    ...facts,
  });
/** How a run ended after five pages, and whether its message is settled. */
const ENDS = {
  'lost its connection': { throws: new UnconfirmedError(), isSettled: false },
  'was answered': { throws: undefined, isSettled: true },
  'was answered without a confirm': { throws: undefined, isSettled: false },
  failed: { throws: new CommandError('PLATFORM_PROTOCOL_ERROR'), isSettled: true },
  'failed without a confirm': { throws: new CommandError('PLATFORM_PROTOCOL_ERROR'), isSettled: false },
};

/** The step, after a run of the report that ended so. */
async function after(end: keyof typeof ENDS) {
  const { throws, isSettled } = ENDS[end];
  const runs = new InterruptedRuns();
  const step = resume(runs);
  const command = reportOf();
  const first = step(command, async ({ run }) => {
    Object.assign(run, { sequence: 5, progress: PROGRESS });
    if (throws) throw throws;
    return ANSWERED;
  });
  await first.catch(() => undefined);
  if (isSettled) runs.end(command);
  else command.delivery.lose();
  return step;
}

/** What a run begins with; `undefined` if there is none. */
async function startOf(step: Step, command: Command) {
  let start: unknown;
  const settlement = await step(command, ({ run: { sequence, progress } }) => {
    start = { sequence, progress };
    return Promise.resolve(ANSWERED);
  });
  expect(settlement).toBe(ANSWERED);
  return start;
}

const FROM_THE_START = { sequence: 0, progress: undefined };

describe('resume', () => {
  it.each(['lost its connection', 'failed without a confirm'] as const)(
    'goes on after the last confirmed page of a run that %s, if the report is delivered again',
    async (end) => {
      const start = await startOf(await after(end), reportOf({ redelivered: true }));
      expect(start).toEqual({ sequence: 5, progress: PROGRESS });
    },
  );

  it('forgets nothing for a report that was refused before it began, however little of it can be read', async () => {
    const runs = new InterruptedRuns();
    const step = resume(runs);
    const interrupted = reportOf();
    await startOf(step, interrupted);
    interrupted.delivery.lose();
    for (const refused of [reportOf({ body: Buffer.from('{') }), reportOf()]) runs.end(refused);
    expect(await startOf(step, reportOf({ redelivered: true }))).toBeUndefined();
  });

  it('sends the final reply of a run again that was answered without a confirm, under its number', async () => {
    const command = reportOf({ redelivered: true });
    expect(await startOf(await after('was answered without a confirm'), command)).toBeUndefined();
    expect(command.run.sequence).toBe(5);
  });

  it('does so as often as the connection goes', async () => {
    const step = await after('was answered without a confirm');
    for (let turn = 0; turn < 3; turn += 1) {
      const command = reportOf({ redelivered: true });
      expect(await startOf(step, command)).toBeUndefined();
      expect(command.run.sequence).toBe(5);
      command.delivery.lose();
    }
  });

  it('runs a report that is sent again, not delivered again, though the final reply was decided', async () => {
    const step = await after('was answered without a confirm');
    expect(await startOf(step, reportOf())).toEqual(FROM_THE_START);
  });

  it.each(['was answered', 'failed'] as const)('starts again after a run that %s', async (end) => {
    expect(await startOf(await after(end), reportOf({ redelivered: true }))).toEqual(FROM_THE_START);
  });

  it.each<[string, Command]>([
    ['sent again, not delivered again', reportOf()],
    ['answered elsewhere', reportOf({ redelivered: true, properties: { replyTo: 'finance' } })],
    ['for other data', reportOf({ redelivered: true, body: { dateFrom: '2026-03-01 00:00:00' } })],
    ['of another type', reportOf({ redelivered: true, properties: { type: 'report.ad-hoc.fetch' } })],
  ])('starts a report from its first page that is %s', async (_, command) => {
    expect(await startOf(await after('lost its connection'), command)).toEqual(FROM_THE_START);
  });

  it('forgets the oldest of a thousand', async () => {
    const step = await after('lost its connection');
    for (let id = 0; id < 1_000; id += 1) {
      await step(reportOf({ properties: { messageId: `other-${id}` } }), ({ delivery }) => {
        delivery.lose();
        return Promise.resolve(ANSWERED);
      });
    }
    expect(await startOf(step, reportOf({ redelivered: true }))).toEqual(FROM_THE_START);
  });
});
