import { HealthIndicatorService, TerminusModule } from '@nestjs/terminus';
import { Test } from '@nestjs/testing';

import { describe, expect, it } from '@jest/globals';

import { IdempotencyStore, MemoryIdempotencyStore, PokerTransport } from '#messaging';
import { PlatformClients } from '#platform';

import { HealthController } from '../../../apps/worker/src/health/health.controller.ts';
import { PrivateRedis } from '../../../scripts/private-redis.ts';
import { isAway, isBack, TTL_MS, Workers } from './workers.ts';

async function healthWith(store: IdempotencyStore): Promise<HealthController> {
  const module = await Test.createTestingModule({
    imports: [TerminusModule.forRoot({ logger: false })],
    controllers: [HealthController],
    providers: [
      { provide: PokerTransport, useValue: { health: { isConnected: true, lanes: [], compartments: [] } } },
      { provide: PlatformClients, useValue: { circuits: () => [], calls: () => [] } },
      { provide: IdempotencyStore, useValue: store },
    ],
  }).compile();
  expect(module.get(HealthIndicatorService, { strict: false })).toBeDefined();
  return module.get(HealthController);
}

describe('GET /health', () => {
  it('does not mention Redis if none is configured', async () => {
    const health = await healthWith(new MemoryIdempotencyStore(TTL_MS, Date.now));
    expect((await health.all()).details).not.toHaveProperty('redis');
  });

  it('shows that Redis is away, as a degradation that is no reason for 503', async () => {
    await using redis = await PrivateRedis.start();
    await using workers = new Workers(redis.url);
    const store = await workers.join();
    const health = await healthWith(store);
    expect((await health.all()).details['redis']).toEqual({ status: 'up' });
    await redis.kill();
    await isAway(store);
    expect(await health.all()).toMatchObject({
      status: 'degraded',
      details: { redis: { status: 'degraded', reason: expect.any(String), since: expect.any(String) } },
    });
    expect((await health.ready()).status).toBe('ok');
    await redis.restart();
    await isBack(store);
    expect((await health.all()).status).toBe('ok');
  });
});
