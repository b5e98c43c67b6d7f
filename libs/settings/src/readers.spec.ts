import { inspect } from 'node:util';

import { describe, expect, it } from '@jest/globals';

import * as readers from './readers.ts';

const { integer, list, oneOf, rising } = readers;
const READERS = {
  ...readers,
  integer: integer(0, 10),
  list: list(oneOf(['a', 'b'])),
  rising: rising(integer(1, 9)),
};

type Name = keyof typeof READERS;

function read(name: Name, value: string): unknown {
  return (READERS[name] as readers.Reader<unknown>)(value);
}

describe('a reader', () => {
  it.each<[Name, value: string, expected?: unknown]>([
    ['key', 'k'.repeat(32)],
    ['integer', '0', 0],
    ['integer', '10', 10],
    ['integer', '007', 7],
    ['list', ' a , b ', ['a', 'b']],
    ['rising', '1,2,9', [1, 2, 9]],
    ['countryMember', 'country'],
    ['countryMember', 'countryCode'],
    ['namePrefix', 'Casino_1.eu-west'],
    ['namePrefix', 'x'.repeat(100)],
    ['precisions', ' USD=2 , mBTC=5', new Map(Object.entries({ USD: 2, mBTC: 5 }))],
    ['hostName', 'Play.Example.com', 'play.example.com'],
    ['httpRoot', 'https://api.example.com/', 'https://api.example.com'],
    ['httpRoot', 'HTTP://API.example.com:80/api/web//', 'http://api.example.com/api/web'],
    ['httpRoot', 'http://[::1]:8080/api'],
    ['amqpUrl', 'amqp://user:p%40ss@broker:5672/vhost?heartbeat=5'],
    ['redisUrl', 'redis://:p%40ss@cache.example.com/3'],
    // In lower case, because the client recognises TLS by `rediss:`.
    ['redisUrl', 'REDISS://user:pass@[::1]:6380/15', 'rediss://user:pass@[::1]:6380/15'],
    ['proxyUrl', 'https://user:p%40ss@proxy.example.com/'],
    ['proxyUrl', 'http://[::1]:3128', 'http://[::1]:3128/'],
  ])('%s reads %s', (name, value, expected = value) => expect(read(name, value)).toEqual(expected));

  it.each<[Name, reason: string, ...values: string[]]>([
    ['key', 'must be at least 32 characters', 'k'.repeat(31)],
    ['integer', 'must be an integer from 0 to 10', '', ' ', '1.5', '1e3', '0x10', '+1', '1_0', ' 1', '11'],
    ['integer', 'must be an integer from 0 to 10', '-1', '9999999999999999', 'NaN', '١'],
    ['list', 'must be one of a, b', 'A', '', 'toString', 'a,', 'a,c'],
    ['list', 'must not name one thing twice', 'a,b, a'],
    ['rising', 'must be in rising order', '2,1', '1,3,2'],
    ['countryMember', 'must not be the name of another member of player', 'id', 'currency'],
    ['namePrefix', 'must be 1 to 100 letters', 'amq.poker', 'poker casino', 'poker#', 'x'.repeat(101)],
    ['precisions', 'must be pairs such as USD=2,BTC=8', '', 'USD', 'USD=two', 'USD=-2', 'USD=2,'],
    ['precisions', 'must not name one currency twice', 'USD=2,USD=4'],
    ['hostName', 'must be host names', 'https://play.example.com', 'a.example:8443', '*.a.example', ''],
    ['httpRoot', 'must be an http or https URL', 'api.example.com', '/api', 'ftp://a.example', 'https://'],
    ['httpRoot', 'must not contain credentials', 'https://user@a.example', 'https://:CANARY@a.example'],
    ['httpRoot', 'must have neither a query nor a fragment', 'https://a.example/?CANARY=1', 'https://a/#'],
    ['amqpUrl', 'must be amqp or amqps URLs, comma separated', 'CANARY:5672', 'http://broker', ''],
    [
      'amqpUrl',
      'must have a heartbeat in seconds',
      'amqp://broker?heartbeat=CANARY',
      'amqp://broker?heartbeat=',
    ],
    ['amqpUrl', 'percent-encoded', 'amqp://u:CANARY#s@broker', 'amqp://u:CANARY%@broker'],
    ['redisUrl', 'must be a redis or rediss URL', '127.0.0.1:6379', 'http://127.0.0.1', 'redis:///0'],
    ['redisUrl', 'must have no path except a database number', 'redis://127.0.0.1/CANARY'],
    ['redisUrl', 'must have neither a query nor a fragment', 'redis://127.0.0.1?CANARY=0'],
    ['redisUrl', 'must have its user name and password percent-encoded', 'redis://:100%zzCANARY@127.0.0.1'],
    ['proxyUrl', 'must be an http or https URL', 'proxy.example.com:3128', 'socks5://proxy.example.com'],
    ['proxyUrl', 'must have neither a path nor a query', 'http://a.example/CANARY', 'http://a.example?'],
    ['proxyUrl', 'must have its user name and password percent-encoded', 'http://u:100%zzCANARY@a.example'],
  ])('%s says what %s, and does not repeat the value', (name, reason, ...values) => {
    for (const value of values) {
      const fault = faultOf(() => read(name, value));
      expect([value, fault.message]).toEqual([value, expect.stringContaining(reason)]);
      expect(inspect(fault.cause) + fault.message).not.toContain('CANARY');
    }
  });
});

function faultOf(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    return error as Error;
  }
  throw new Error('no error was thrown');
}
