import { describe, expect, it } from '@jest/globals';

import { busNames, CommandError } from '#contracts';

import { commandOf, copiedCommandOf } from '../../command/command.fixture.ts';
import type { Settlement } from '../settlement.ts';
import { route } from './route.ts';

const ANSWER: Settlement = {
  kind: 'answer',
  reply: {
    type: 'session.created',
    data: { userId: 'p-1', sessionId: 's-1', auth: 'a', redirectUrl: 'https://play.example' },
  },
};
const moveTo = (queue: string, headers: object = {}) => ({ kind: 'move', copy: { queue, headers } });
const QUARANTINED = moveTo('poker.quarantine', { 'x-quarantine-starts': 1 });

const step = route(busNames('poker'), 5);

/** What the step makes of a command; `ANSWER` if it hands it on. */
const settle = (facts: Parameters<typeof commandOf>[0]) =>
  step(commandOf(facts), () => Promise.resolve(ANSWER));

describe('route', () => {
  it.each([
    ['session.create', 'poker.interactive', ANSWER],
    ['report.rake.fetch', 'poker.reports', ANSWER],
    ['session.create', 'poker.reports', moveTo('poker.interactive')],
    ['report.ad-hoc.fetch', 'poker.interactive', moveTo('poker.reports')],
    ['no.such.command', 'poker.interactive', ANSWER],
    ['no.such.command', 'poker.reports', ANSWER],
    ['constructor', 'poker.reports', ANSWER],
  ])('of %s found in %s', async (type, queue, expected) => {
    expect(await settle({ properties: { type }, queue })).toEqual(expected);
  });

  it('counts a move from the other lane as no redelivery, and a redelivery before the lane', async () => {
    const headers = { 'x-delivery-count': 3 };
    const properties = { type: 'report.rake.fetch' };
    expect(await settle({ properties, headers, redelivered: true })).toEqual(QUARANTINED);
  });

  it('keeps the number of the next reply, and how far a report came', async () => {
    const came = { 'x-sequence': 3, 'x-progress': '{"pages":3}' };
    const facts = { properties: { type: 'report.rake.fetch' }, queue: 'poker.interactive', headers: came };
    const next = (): Promise<Settlement> => Promise.resolve(ANSWER);
    expect(await step(copiedCommandOf(facts), next)).toEqual(moveTo('poker.reports', came));
    const redelivered = { ...facts, headers: { ...came, 'x-delivery-count': 3 }, redelivered: true };
    expect(await step(copiedCommandOf(redelivered), next)).toEqual(
      moveTo('poker.quarantine', { ...came, 'x-quarantine-starts': 1 }),
    );
  });

  it('moves a command that its caller has the broker prefer to the end of its lane', async () => {
    const facts = { properties: { type: 'session.create', priority: 5 } };
    expect(await settle({ ...facts, release: '4.3.6' })).toEqual(moveTo('poker.interactive'));
    expect(await settle({ ...facts, release: '3.10.8' })).toEqual(ANSWER);
    const ordinary = { properties: { type: 'session.create', priority: 4 }, release: '4.3.6' };
    expect(await settle(ordinary)).toEqual(ANSWER);
  });

  it('keeps commands of either lane in quarantine', async () => {
    const properties = { type: 'report.rake.fetch' };
    expect(await settle({ queue: 'poker.quarantine', properties })).toEqual(ANSWER);
  });

  it('stops a command that was started too often, if a worker counted that', async () => {
    const facts = { queue: 'poker.quarantine', headers: { 'x-quarantine-starts': 5 }, redelivered: true };
    expect(() => step(copiedCommandOf(facts), () => Promise.resolve(ANSWER))).toThrow(
      new CommandError('POISON_COMMAND'),
    );
    expect(await settle(facts)).toEqual(moveTo('poker.quarantine', { 'x-quarantine-starts': 2 }));
  });

  it.each([
    ['an id that is too long', { properties: { messageId: 'x'.repeat(201) } }],
    ['an operator that is no text', { headers: { operator: ['casino'] } }],
    ['an unreadable deadline', { headers: { 'x-deadline': 'tomorrow' } }],
    ['a body that is too large', { body: Buffer.alloc(64 * 1024 + 1) }],
  ])('answers a command with %s where it was found, since a copy would not show it', async (_, facts) => {
    const headers = { ...(facts as { headers?: object }).headers, 'x-delivery-count': 3 };
    expect(await settle({ ...facts, queue: 'poker.reports' })).toEqual(ANSWER);
    expect(await settle({ ...facts, headers, redelivered: true })).toEqual(ANSWER);
  });
});
