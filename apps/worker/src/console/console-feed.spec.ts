import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import type { MessagingHealth, PokerTransport } from '#messaging';
import type { PlatformClients } from '#platform';
import { Metrics } from '#telemetry';

import { ConsoleFeed } from './console-feed.ts';
import { FailureTally } from './failure-tally.ts';

/** A response that accepts all writes immediately. */
class Stream extends EventEmitter {
  text = '';
  readonly writableNeedDrain = false;
  readonly writeHead = (): void => {};
  readonly end = (): void => {};
  readonly write = (text: string): void => void (this.text += text);

  get view(): any {
    return JSON.parse(this.text.slice(this.text.lastIndexOf('data: ') + 6));
  }
}

/** Returns a feed with spies that count its views. */
function feedUnderTest() {
  const operators = jest.fn(() => []);
  const platform = { operators, operations: () => [], get: () => undefined };
  const health: Partial<MessagingHealth> = {
    isConnected: true,
    isBlocked: false,
    lanes: [{ lane: 'interactive', state: 'consuming', inFlight: 3, prefetch: 10, oldestAgeMs: 0 }],
    compartments: [],
  };
  const kept = { queue: 'kept', messages: 0, reasons: [] };
  const overview = jest.fn(async () => ({ queues: [], deadLetters: kept, parked: kept }));
  const metrics = new Metrics();
  const feed = new ConsoleFeed(
    metrics,
    platform as unknown as PlatformClients,
    { health, queueOverview: overview } as unknown as PokerTransport,
    new FailureTally(),
    'poker',
    ['interactive'],
  );
  const newViewer = (): Stream => {
    const stream = new Stream();
    feed.viewers.admit(stream as unknown as ServerResponse);
    return stream;
  };
  return { feed, metrics, overview, newViewer, views: operators };
}

describe('ConsoleFeed', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('samples the worker once a second for all viewers, and never without a viewer', async () => {
    const { feed, newViewer, views, overview } = feedUnderTest();
    await jest.advanceTimersByTimeAsync(60_000);
    const viewers = [newViewer(), newViewer(), newViewer()];
    await jest.advanceTimersByTimeAsync(10_000);
    for (const viewer of viewers) viewer.emit('close');
    await jest.advanceTimersByTimeAsync(60_000);
    // The broker is polled every five seconds.
    expect([views.mock.calls.length, overview.mock.calls.length]).toEqual([3 + 10, 1 + 2]);
    feed.onModuleDestroy();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('starts with the history from before the first viewer, and shows no queues if the broker does not answer', async () => {
    const { feed, metrics, newViewer, overview } = feedUnderTest();
    metrics.commands.labels('game.open', 'success').value += 10;
    await jest.advanceTimersByTimeAsync(5_000);
    const viewer = newViewer();
    const [session, game] = viewer.view.commands.types;
    expect(session).toMatchObject({ type: 'session.create', answered: 0 });
    expect(game).toMatchObject({ type: 'game.open', answered: 10, hour: [{ answered: 10, causes: {} }] });
    await jest.advanceTimersByTimeAsync(5_000);
    expect(viewer.view.queues).toMatchObject([{ queue: 'kept' }, { queue: 'kept' }]);
    overview.mockRejectedValue(new Error('gone'));
    await jest.advanceTimersByTimeAsync(10_000);
    expect(viewer.view.queues).toBeUndefined();
    feed.onModuleDestroy();
  });
});
