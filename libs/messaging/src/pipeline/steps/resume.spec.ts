import { describe, expect, it } from '@jest/globals';

import { CommandError } from '#contracts';

import type { Command } from '../../command/command.ts';
import { commandOf } from '../../command/command.fixture.ts';
import { UnconfirmedError } from '../../rabbitmq/publishing/confirmed-publisher.ts';
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
/** How a run ended after five pages. */
const ENDS = {
  'lost its connection': (delivery: Command['delivery']) => {
    delivery.lose();
    return ANSWERED;
  },
  'was not confirmed': (delivery: Command['delivery']) => {
    delivery.requeue();
    throw new UnconfirmedError();
  },
  'was answered': () => ANSWERED,
  failed: () => {
    throw new CommandError('PLATFORM_PROTOCOL_ERROR');
  },
};

/** The step, after a run of the report that ended so. */
async function after(end: keyof typeof ENDS) {
  const step = resume();
  const first = step(reportOf(), async ({ run, delivery }) => {
    Object.assign(run, { sequence: 5, progress: PROGRESS });
    return ENDS[end](delivery);
  });
  await first.catch(() => undefined);
  return step;
}

async function startOf(step: Step, command: Command) {
  let start: unknown;
  await step(command, ({ run: { sequence, progress } }) => {
    start = { sequence, progress };
    return Promise.resolve(ANSWERED);
  });
  return start;
}

const FROM_THE_START = { sequence: 0, progress: undefined };

describe('resume', () => {
  it.each(['lost its connection', 'was not confirmed'] as const)(
    'goes on after the last confirmed page of a run that %s, if the report is delivered again',
    async (end) => {
      const start = await startOf(await after(end), reportOf({ redelivered: true }));
      expect(start).toEqual({ sequence: 5, progress: PROGRESS });
    },
  );

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
