import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import type { IdempotencyStore, MessagingHealth, PokerTransport } from '#messaging';
import type { PlatformClients } from '#platform';
import { Metrics } from '#telemetry';

import { ConsoleFeed } from './console-feed.ts';
import { FailureTally } from './failure-tally.ts';

/** A response that takes everything at once. */
class Stream extends EventEmitter {
  text = '';
  readonly writableNeedDrain = false;

  writeHead(): this {
    return this;
  }

  write(text: string): boolean {
    this.text += text;
    return true;
  }

  end(): void {}
}

const PLATFORM = { operators: () => [], circuits: () => [], calls: () => [], get: () => undefined };

/** A feed, and how often its views were made since the last question. */
function feedUnderTest() {
  let views = 0;
  const platform = { ...PLATFORM, operators: () => ((views += 1), []) } as unknown as PlatformClients;
  const health: MessagingHealth = {
    isConnected: true,
    lastError: undefined,
    release: undefined,
    advice: undefined,
    lanes: [{ lane: 'interactive', state: 'consuming', inFlight: 3, prefetch: 10, oldestAgeMs: 0 }],
    compartments: [],
  };
  const metrics = new Metrics();
  const feed = new ConsoleFeed(
    metrics,
    platform,
    { health } as PokerTransport,
    {} as IdempotencyStore,
    new FailureTally(),
    { lanes: ['interactive'] },
  );
  const viewsSince = (): number => {
    const made = views;
    views = 0;
    return made;
  };
  const newViewer = (): Stream => {
    const stream = new Stream();
    feed.watch(stream as unknown as ServerResponse);
    return stream;
  };
  return { feed, metrics, newViewer, viewsSince };
}

describe('ConsoleFeed', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('looks at the worker each second while somebody looks, once for all of them, and not at all otherwise', async () => {
    const { feed, newViewer, viewsSince } = feedUnderTest();
    feed.onModuleInit();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(viewsSince()).toBe(0);
    const viewers = [newViewer(), newViewer(), newViewer()];
    expect(viewsSince()).toBe(3);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(viewsSince()).toBe(10);
    for (const viewer of viewers) viewer.emit('close');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(viewsSince()).toBe(0);
    feed.onModuleDestroy();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('begins with what was before somebody looked', async () => {
    const { feed, metrics, newViewer } = feedUnderTest();
    feed.onModuleInit();
    await jest.advanceTimersByTimeAsync(10_000);
    metrics.commands.labels('game.open', 'success').value += 10;
    await jest.advanceTimersByTimeAsync(5_000);
    const [, data = ''] = /^event: history\ndata: (.+)$/m.exec(newViewer().text) ?? [];
    const { types, lanes, points } = JSON.parse(data) as Record<string, any>;
    expect({ types, lanes }).toEqual({ types: ['session.create', 'game.open'], lanes: ['interactive'] });
    expect(points.map((point: any) => [point.types[1][0], point.inFlight])).toEqual([
      [0, [3]],
      [0, [3]],
      [2, [3]],
    ]);
    feed.onModuleDestroy();
  });
});
