import { describe, expect, it } from '@jest/globals';

import { redisUrl } from './redis-url.ts';

describe('redisUrl', () => {
  it.each([
    'redis://127.0.0.1',
    'redis://cache.example.com:6380/',
    'redis://:p%40ss@cache.example.com/3',
    'rediss://user:pass@cache.example.com:6380/15',
    'redis://[::1]:6379',
  ])('accepts %s', (url) => {
    expect(redisUrl(url)).toBe(url);
  });

  it('writes the protocol in small letters, by which the client knows TLS', () => {
    expect(redisUrl('REDISS://cache.example.com')).toBe('rediss://cache.example.com');
  });

  it.each([
    ['6379', 'must be a redis or rediss URL'],
    ['127.0.0.1:6379', 'must be a redis or rediss URL'],
    ['http://127.0.0.1', 'must be a redis or rediss URL'],
    ['redis:///0', 'must be a redis or rediss URL'],
    ['/run/redis.sock', 'must be a redis or rediss URL'],
    ['redis://127.0.0.1/cache', 'must have no path but the number of a database'],
    ['redis://127.0.0.1?commandTimeout=0', 'must have neither a query nor a fragment'],
    ['redis://:100%zz@127.0.0.1', 'must have its user name and password percent-encoded'],
  ])('refuses %s: %s', (url, reason) => {
    expect(() => redisUrl(url)).toThrow(reason);
  });
});
