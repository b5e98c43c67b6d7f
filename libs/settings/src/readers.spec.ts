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
  rising,
  text,
} from './readers.ts';

type Read = (value: string) => unknown;

const READABLE: [name: string, read: Read, value: string, expected: unknown][] = [
  ['text', text, ' as it is ', ' as it is '],
  ['key', key, 'k'.repeat(32), 'k'.repeat(32)],
  ['integer', integer(0, 10), '0', 0],
  ['integer', integer(0, 10), '10', 10],
  ['integer', integer(-5, 10), '-5', -5],
  ['integer', integer(0, 10), '007', 7],
  ['oneOf', oneOf(['a', 'b']), 'b', 'b'],
  ['list', list(text), 'a', ['a']],
  ['list', list(text), ' a , b ', ['a', 'b']],
  ['rising', rising(integer(1, 9)), '1,2,9', [1, 2, 9]],
  ['countryMember', countryMember, 'country', 'country'],
  ['countryMember', countryMember, 'countryCode', 'countryCode'],
  ['hostName', hostName, 'Play.Example.com', 'play.example.com'],
  ['httpRoot', httpRoot, 'https://api.example.com', 'https://api.example.com'],
  ['httpRoot', httpRoot, 'https://api.example.com/', 'https://api.example.com'],
  ['httpRoot', httpRoot, 'HTTP://API.example.com:80/api/web//', 'http://api.example.com/api/web'],
  ['httpRoot', httpRoot, 'http://[::1]:8080/api', 'http://[::1]:8080/api'],
  [
    'amqpUrl',
    amqpUrl,
    'amqp://user:p%40ss@broker:5672/vhost?heartbeat=5',
    'amqp://user:p%40ss@broker:5672/vhost?heartbeat=5',
  ],
  ['amqpUrl', amqpUrl, 'amqps://broker', 'amqps://broker'],
  ['namePrefix', namePrefix, 'poker', 'poker'],
  ['namePrefix', namePrefix, 'Casino_1.eu-west', 'Casino_1.eu-west'],
  ['namePrefix', namePrefix, 'x'.repeat(100), 'x'.repeat(100)],
  ['precisions', precisions, 'USD=2', new Map([['USD', 2]])],
  [
    'precisions',
    precisions,
    ' USD=2 , mBTC=5,JPY=0',
    new Map([
      ['USD', 2],
      ['mBTC', 5],
      ['JPY', 0],
    ]),
  ],
];

const FAULTS: [name: string, read: Read, value: string, reason: RegExp][] = [
  ...[
    '',
    ' ',
    '1.5',
    '1e3',
    '0x10',
    '+1',
    '1_0',
    ' 1',
    '11',
    '-1',
    '9999999999999999',
    'NaN',
    'Infinity',
    '١',
  ].map((value): (typeof FAULTS)[number] => [
    'integer',
    integer(0, 10),
    value,
    /^must be an integer from 0 to 10$/,
  ]),
  ['key', key, 'k'.repeat(31), /^must be at least 32 characters$/],
  ['oneOf', oneOf(['a', 'b']), 'A', /^must be one of a, b$/],
  ['oneOf', oneOf(['a', 'b']), '', /^must be one of a, b$/],
  ['oneOf', oneOf(['a', 'b']), 'toString', /^must be one of a, b$/],
  ['list', list(oneOf(['a', 'b'])), 'a,', /^must be one of a, b$/],
  ['list', list(oneOf(['a', 'b'])), 'a,c', /^must be one of a, b$/],
  ['list', list(text), 'a,b, a', /^must not name one thing twice$/],
  ['rising', rising(integer(1, 9)), '2,1', /^must be in rising order$/],
  ['rising', rising(integer(1, 9)), '1,3,2', /^must be in rising order$/],
  ['rising', rising(integer(1, 9)), '1,1', /^must not name one thing twice$/],
  ['rising', rising(integer(1, 9)), '1,10', /^must be an integer/],
  ['countryMember', countryMember, 'id', /^must not be the name of another member of player$/],
  ['countryMember', countryMember, 'currency', /^must not be the name of another member/],
  ['hostName', hostName, 'https://play.example.com', /^must be host names, comma separated$/],
  ['hostName', hostName, 'play.example.com/lobby', /^must be host names/],
  ['hostName', hostName, 'play.example.com:8443', /^must be host names/],
  ['hostName', hostName, '*.example.com', /^must be host names/],
  ['hostName', hostName, '', /^must be host names/],
  ['httpRoot', httpRoot, 'api.example.com', /^must be an http or https URL$/],
  ['httpRoot', httpRoot, '/api/web', /^must be an http or https URL$/],
  ['httpRoot', httpRoot, 'ftp://api.example.com', /^must be an http or https URL$/],
  ['httpRoot', httpRoot, 'https://', /^must be an http or https URL$/],
  ['httpRoot', httpRoot, 'https://user@api.example.com', /^must not hold credentials$/],
  ['httpRoot', httpRoot, 'https://:pass@api.example.com', /^must not hold credentials$/],
  ['httpRoot', httpRoot, 'https://api.example.com/?a=1', /^must have neither a query nor a fragment$/],
  ['httpRoot', httpRoot, 'https://api.example.com/#a', /^must have neither a query nor a fragment$/],
  ['httpRoot', httpRoot, 'https://api.example.com/?', /^must have neither a query nor a fragment$/],
  ['httpRoot', httpRoot, 'https://api.example.com/#', /^must have neither a query nor a fragment$/],
  ['amqpUrl', amqpUrl, 'broker:5672', /^must be amqp or amqps URLs, comma separated$/],
  ['amqpUrl', amqpUrl, 'http://broker', /^must be amqp or amqps URLs, comma separated$/],
  ['amqpUrl', amqpUrl, '', /^must be amqp or amqps URLs, comma separated$/],
  ['namePrefix', namePrefix, 'amq.poker', /^must be 1 to 100 letters/],
  ['namePrefix', namePrefix, 'poker casino', /^must be 1 to 100 letters/],
  ['namePrefix', namePrefix, 'poker#', /^must be 1 to 100 letters/],
  ['namePrefix', namePrefix, 'x'.repeat(101), /^must be 1 to 100 letters/],
  ['precisions', precisions, '', /^must be pairs such as USD=2,BTC=8$/],
  ['precisions', precisions, 'USD', /^must be pairs such as USD=2,BTC=8$/],
  ['precisions', precisions, 'USD=two', /^must be pairs such as USD=2,BTC=8$/],
  ['precisions', precisions, 'USD=-2', /^must be pairs such as USD=2,BTC=8$/],
  ['precisions', precisions, 'USD=2,', /^must be pairs such as USD=2,BTC=8$/],
  ['precisions', precisions, 'USD=2,USD=4', /^must not name one currency twice$/],
  ['precisions', precisions, 'USD=2;BTC=8', /^must be pairs such as USD=2,BTC=8$/],
];

describe('readers', () => {
  it.each(READABLE.map(([name, read, value, expected]) => ({ name, read, value, expected })))(
    '$name reads $value',
    ({ read, value, expected }) => {
      expect(read(value)).toEqual(expected);
    },
  );

  it.each(FAULTS.map(([name, read, value, reason]) => ({ name, read, value, reason })))(
    '$name cannot read $value',
    ({ read, value, reason }) => {
      expect(() => read(value)).toThrow(reason);
    },
  );

  it.each(['amqpUrl', 'httpRoot', 'namePrefix', 'precisions'] as const)('%s repeats no value', (name) => {
    const readers = { amqpUrl, httpRoot, namePrefix, precisions };
    const values = [
      'CANARY/',
      'http://user:CANARY@host/',
      'http://host/?CANARY',
      'redis://host/CANARY',
      'redis://h?CANARY',
    ];
    for (const value of values) {
      try {
        readers[name](value);
      } catch (error) {
        expect(String(error)).not.toContain('CANARY');
        expect((error as Error).cause).toBeUndefined();
      }
    }
    expect.hasAssertions();
  });
});
