import { expect, it } from '@jest/globals';
import { Redis } from 'ioredis';

import { speaksRedis } from '../../../scripts/network/speaks.ts';
import { startRedis } from '../../../scripts/redis/start-redis.ts';

it('a private Redis keeps its data until it is stopped', async () => {
  const redis = await startRedis();
  const client = new Redis(redis.url);
  await client.set('key', 'value');
  expect(await client.get('key')).toBe('value');
  await client.quit();

  await redis.stop();

  expect(await speaksRedis(redis.port)).toBe(false);
});
