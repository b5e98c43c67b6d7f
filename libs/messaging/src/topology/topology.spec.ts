import { describe, expect, it } from '@jest/globals';

import { topologyOf } from './topology.ts';

const RETRY_DELAYS_MS = [5_000, 30_000, 120_000];
const NETTED = { 'x-queue-type': 'quorum', 'x-delivery-limit': 50 };
const KEPT = { 'x-queue-type': 'quorum', 'x-delivery-limit': 1_000_000_000 };
const safelyTo = (queue: string) => ({
  'x-dead-letter-exchange': '',
  'x-dead-letter-routing-key': queue,
  'x-dead-letter-strategy': 'at-least-once',
  'x-overflow': 'reject-publish',
});
const NETTED_SAFELY = { ...NETTED, ...safelyTo('poker.dead-letters') };
const keptFor = (ttlMs: number) => ({
  ...KEPT,
  'x-message-ttl': ttlMs,
  'x-max-length-bytes': 1_073_741_824,
});
const retrying = (ttlMs: number) => ({ ...KEPT, 'x-message-ttl': ttlMs, ...safelyTo('poker.reports') });

describe('topologyOf', () => {
  const { exchanges, queues, bindings } = topologyOf('poker', RETRY_DELAYS_MS);

  // An argument that changes here cannot meet a broker that has the old one.
  it('declares with constant arguments, each exchange or queue before what refers to it', () => {
    expect(exchanges.map(({ name, type, arguments: args }) => [name, type, args])).toEqual([
      ['poker.commands.unknown', 'fanout', {}],
      ['poker.commands', 'direct', { 'alternate-exchange': 'poker.commands.unknown' }],
      ['poker.events', 'topic', {}],
    ]);
    expect(queues.map(({ name, arguments: args }) => [name, args])).toEqual([
      ['poker.dead-letters', keptFor(1_209_600_000)],
      ['poker.replies.undelivered', keptFor(86_400_000)],
      ['poker.interactive', NETTED_SAFELY],
      ['poker.reports', NETTED_SAFELY],
      ['poker.quarantine', NETTED_SAFELY],
      ...RETRY_DELAYS_MS.map((delayMs) => [`poker.reports.retry.${delayMs}`, retrying(delayMs)]),
    ]);
  });

  it('binds each command type to its lane, and the unknown ones to the interactive lane', () => {
    const lines = bindings.map(({ exchange, routingKey, queue }) => `${exchange} ${routingKey} -> ${queue}`);
    expect(lines.toSorted()).toEqual([
      'poker.commands game.open -> poker.interactive',
      'poker.commands report.ad-hoc.fetch -> poker.reports',
      'poker.commands report.rake.fetch -> poker.reports',
      'poker.commands session.create -> poker.interactive',
      'poker.commands.unknown  -> poker.interactive',
    ]);
  });
});
