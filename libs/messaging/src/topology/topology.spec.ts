import { describe, expect, it } from '@jest/globals';

import { COMMAND_TYPES } from '#contracts';

import { topologyOf } from './topology.ts';

const DAY_MS = 86_400_000;
const RETRY_DELAYS_MS = [5_000, 30_000, 120_000];

const safely = (queue: string) => ({
  'x-dead-letter-exchange': '',
  'x-dead-letter-routing-key': queue,
  'x-dead-letter-strategy': 'at-least-once',
  'x-overflow': 'reject-publish',
});
const netted = {
  'x-queue-type': 'quorum',
  'x-delivery-limit': 50,
  ...safely('poker.dead-letters'),
};
const kept = (days: number) => ({
  'x-queue-type': 'quorum',
  'x-delivery-limit': 1_000_000_000,
  'x-message-ttl': days * DAY_MS,
  'x-max-length-bytes': 1_073_741_824,
});
const retrying = (delayMs: number) => ({
  'x-queue-type': 'quorum',
  'x-delivery-limit': 1_000_000_000,
  'x-message-ttl': delayMs,
  ...safely('poker.reports'),
});

/** What each queue stands with. An argument that changes here cannot meet a broker that has the old one. */
const QUEUES = {
  'poker.dead-letters': kept(14),
  'poker.replies.undelivered': kept(1),
  'poker.interactive': netted,
  'poker.reports': netted,
  'poker.quarantine': netted,
  'poker.reports.retry.5000': retrying(5_000),
  'poker.reports.retry.30000': retrying(30_000),
  'poker.reports.retry.120000': retrying(120_000),
};

describe('topologyOf', () => {
  const { exchanges, queues, bindings } = topologyOf('poker', RETRY_DELAYS_MS);

  it('has the exchanges of the contract', () => {
    expect(exchanges).toEqual([
      { name: 'poker.commands.unknown', type: 'fanout', arguments: {} },
      {
        name: 'poker.commands',
        type: 'direct',
        arguments: { 'alternate-exchange': 'poker.commands.unknown' },
      },
      { name: 'poker.events', type: 'topic', arguments: {} },
    ]);
  });

  it('has the queues of the contract, and no other', () => {
    expect(queues.map(({ name }) => name)).toEqual(Object.keys(QUEUES));
  });

  it.each(Object.entries(QUEUES))('declares %s with the arguments that it stands with', (name, expected) => {
    expect(queues.find((queue) => queue.name === name)?.arguments).toEqual(expected);
  });

  it('binds each command type to its lane, and the unknown ones to the interactive lane', () => {
    const lines = bindings.map(({ exchange, routingKey, queue }) => `${exchange} ${routingKey} -> ${queue}`);
    expect(lines).toEqual(
      expect.arrayContaining([
        'poker.commands game.open -> poker.interactive',
        'poker.commands report.ad-hoc.fetch -> poker.reports',
        'poker.commands report.rake.fetch -> poker.reports',
        'poker.commands session.create -> poker.interactive',
        'poker.commands.unknown  -> poker.interactive',
      ]),
    );
    expect(lines).toHaveLength(COMMAND_TYPES.length + 1);
  });

  it('declares an exchange or queue before what refers to it', () => {
    const declared = new Set<unknown>(['']);
    for (const { name, arguments: args } of [...exchanges, ...queues]) {
      const referred = [
        args['alternate-exchange'],
        args['x-dead-letter-exchange'],
        args['x-dead-letter-routing-key'],
      ];
      for (const other of referred) if (other !== undefined) expect(declared).toContain(other);
      declared.add(name);
    }
  });

  it('keeps to its prefix, arguments and bindings among it', () => {
    const text = JSON.stringify(topologyOf('casino', RETRY_DELAYS_MS));
    expect(text).not.toContain('poker');
    expect(text).toBe(JSON.stringify(topologyOf('poker', RETRY_DELAYS_MS)).replaceAll('poker', 'casino'));
  });

  it('changes with the delays by their queues alone', () => {
    const withoutDelays = topologyOf('poker', []);
    expect(withoutDelays.queues).toEqual(queues.slice(0, -RETRY_DELAYS_MS.length));
    expect(withoutDelays.bindings).toEqual(bindings);
  });
});
