import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis as Client } from 'ioredis';

import { InternalKeys, RedisIdempotencyStore, type RedisState } from '#messaging';
import { TlsContext, type TlsMaterial } from '#tls';

import { Authority, type Identity } from '../../../libs/settings/src/certificates.fixture.ts';
import { PrivateRedis } from '../../../scripts/private-redis.ts';
import { until } from '../../support/until.ts';
import { isAway, isBack, PREFIX, TTL_MS } from './workers.ts';

let authority: Authority;
let client: Identity;
let redis: PrivateRedis;
const stores: RedisIdempotencyStore[] = [];

beforeAll(async () => {
  authority = await Authority.create();
  client = await authority.issue();
  redis = await PrivateRedis.start({ ca: authority.ca, ...(await authority.issue(['localhost'])) });
});
afterAll(async () => {
  for (const store of stores) await store.close();
  await redis.kill();
});

/** A store at the encrypted listener, which demands a client certificate. */
function storeWith(material: TlsMaterial, host = 'localhost') {
  const tls = new TlsContext('REDIS', material);
  const states: RedisState[] = [];
  const store = new RedisIdempotencyStore({
    client: Client,
    url: `rediss://${host}:${redis.tlsPort}`,
    tls,
    prefix: PREFIX,
    ttlMs: TTL_MS,
    internalKeys: new InternalKeys(Buffer.alloc(32, 7)),
    onState: (state) => states.push(state),
  });
  stores.push(store);
  return { store, tls, states };
}

/** Redis is away, and the reason says what to do: at the latest when several connections have failed. */
async function expectAway(advice: string, material: TlsMaterial, host?: string): Promise<void> {
  const { store } = storeWith(material, host);
  await until(`the reason names ${advice}`, () => {
    const { state } = store;
    return state.kind === 'away' && state.reason.includes(advice);
  });
  await store.close();
}

describe('Redis over TLS', () => {
  it('is shared by workers with its authority and a client certificate', async () => {
    const { store } = storeWith({ ca: authority.ca, ...client });
    await isBack(store);
    expect((await store.claim('identity', 'fingerprint')).kind).toBe('claimed');
  });

  it('is away without its authority, and the reason says what to set', async () => {
    await expectAway('REDIS_TLS_CA', client);
    await expectAway('REDIS_TLS_CA', { ca: (await Authority.create()).ca, ...client });
  });

  it('is away without a client certificate, and the reason says what to set', async () => {
    await expectAway('REDIS_TLS_CERT', { ca: authority.ca });
  });

  it('is away under a name that is not in its certificate', async () => {
    await expectAway('for another host', { ca: authority.ca, ...client }, '127.0.0.1');
  });

  it('is connected to with a certificate that was given later', async () => {
    const { store, tls } = storeWith({ ca: authority.ca });
    await isAway(store);
    tls.replace({ ca: authority.ca, ...client });
    await isBack(store);
  });
});
