import { inspect } from 'node:util';

import { describe, expect, it } from '@jest/globals';

import {
  amqpUrl,
  countryMember,
  hostName,
  httpRoot,
  integer,
  key,
  list,
  namePrefix,
  oneOf,
  precisions,
  proxyUrl,
  redisUrl,
  rising,
} from './readers.ts';

interface Row {
  readonly read: (value: string) => unknown;
  /** Each value with what it is read as, if that is something else. */
  readonly readable: readonly (readonly [value: string, expected?: unknown])[];
  /** Each reason with the values that it is given for. */
  readonly faults: readonly (readonly [reason: RegExp, ...values: string[]])[];
}

const INTEGER = /^must be an integer from 0 to 10$/;
const NO_HTTP = /^must be an http or https URL$/;
const NO_REDIS = /^must be a redis or rediss URL$/;
const UNENCODED = /^must have its user name and password percent-encoded$/;

const ROWS: Readonly<Record<string, Row>> = {
  key: {
    read: key,
    readable: [['k'.repeat(32)]],
    faults: [[/^must be at least 32 characters$/, 'k'.repeat(31)]],
  },
  integer: {
    read: integer(0, 10),
    readable: [
      ['0', 0],
      ['10', 10],
      ['007', 7],
    ],
    faults: [
      [INTEGER, '', ' ', '1.5', '1e3', '0x10', '+1', '1_0', ' 1', '11', '-1', '9999999999999999', 'NaN', '١'],
    ],
  },
  list: {
    read: list(oneOf(['a', 'b'])),
    readable: [
      ['a', ['a']],
      [' a , b ', ['a', 'b']],
    ],
    faults: [
      [/^must be one of a, b$/, 'a,', 'a,c'],
      [/^must not name one thing twice$/, 'a,b, a'],
    ],
  },
  rising: {
    read: rising(integer(1, 9)),
    readable: [['1,2,9', [1, 2, 9]]],
    faults: [
      [/^must be in rising order$/, '2,1', '1,3,2'],
      [/^must not name one thing twice$/, '1,1'],
      [/^must be an integer/, '1,10'],
    ],
  },
  countryMember: {
    read: countryMember,
    readable: [['country'], ['countryCode']],
    faults: [[/^must not be the name of another member of player$/, 'id', 'currency']],
  },
  namePrefix: {
    read: namePrefix,
    readable: [['poker'], ['Casino_1.eu-west'], ['x'.repeat(100)]],
    faults: [[/^must be 1 to 100 letters/, 'amq.poker', 'poker casino', 'poker#', 'x'.repeat(101)]],
  },
  precisions: {
    read: precisions,
    readable: [[' USD=2 , mBTC=5', new Map(Object.entries({ USD: 2, mBTC: 5 }))]],
    faults: [
      [/^must be pairs such as USD=2,BTC=8$/, '', 'USD', 'USD=two', 'USD=-2', 'USD=2,', 'USD=2;BTC=8'],
      [/^must not name one currency twice$/, 'USD=2,USD=4'],
    ],
  },
  hostName: {
    read: hostName,
    readable: [['Play.Example.com', 'play.example.com']],
    faults: [
      [/^must be host names/, 'https://play.example.com', 'play.example.com:8443', '*.example.com', ''],
    ],
  },
  httpRoot: {
    read: httpRoot,
    readable: [
      ['https://api.example.com/', 'https://api.example.com'],
      ['HTTP://API.example.com:80/api/web//', 'http://api.example.com/api/web'],
      ['http://[::1]:8080/api'],
    ],
    faults: [
      [NO_HTTP, 'api.example.com', '/api/web', 'ftp://api.example.com', 'https://'],
      [/^must not hold credentials$/, 'https://user@api.example.com', 'https://:CANARY@api.example.com'],
      [/^must have neither a query nor a fragment$/, 'https://a.example/?CANARY=1', 'https://a.example/#'],
    ],
  },
  amqpUrl: {
    read: amqpUrl,
    readable: [['amqp://user:p%40ss@broker:5672/vhost?heartbeat=5'], ['amqps://broker']],
    faults: [[/^must be amqp or amqps URLs, comma separated$/, 'CANARY:5672', 'http://broker', '']],
  },
  redisUrl: {
    read: redisUrl,
    readable: [
      ['redis://:p%40ss@cache.example.com/3'],
      ['rediss://user:pass@[::1]:6380/15'],
      // In small letters, by which the client knows TLS.
      ['REDISS://cache.example.com', 'rediss://cache.example.com'],
    ],
    faults: [
      [NO_REDIS, '6379', '127.0.0.1:6379', 'http://127.0.0.1', 'redis:///0', '/run/redis.sock'],
      [/^must have no path but the number of a database$/, 'redis://127.0.0.1/CANARY'],
      [/^must have neither a query nor a fragment$/, 'redis://127.0.0.1?CANARY=0'],
      [UNENCODED, 'redis://:100%zzCANARY@127.0.0.1'],
    ],
  },
  proxyUrl: {
    read: proxyUrl,
    readable: [['https://user:p%40ss@proxy.example.com/'], ['http://[::1]:3128', 'http://[::1]:3128/']],
    faults: [
      [NO_HTTP, 'proxy.example.com:3128', 'socks5://proxy.example.com'],
      [/^must have neither a path nor a query$/, 'http://proxy.example/CANARY', 'http://proxy.example?'],
      [UNENCODED, 'http://user:100%zzCANARY@proxy.example.com'],
    ],
  },
};

describe.each(Object.entries(ROWS))('%s', (_, { read, readable, faults }) => {
  it.each(readable)('reads %s', (value, expected = value) => {
    expect(read(value)).toEqual(expected);
  });

  it.each(faults.flatMap(([reason, ...values]) => values.map((value) => ({ value, reason }))))(
    'cannot read $value, and does not repeat it',
    ({ value, reason }) => {
      const fault = faultOf(() => read(value));
      expect(fault.message).toMatch(reason);
      expect(inspect(fault.cause) + fault.message).not.toContain('CANARY');
    },
  );
});

function faultOf(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    return error as Error;
  }
  throw new Error('it was read');
}
