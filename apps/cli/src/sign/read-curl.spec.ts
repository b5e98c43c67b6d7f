import { describe, expect, it } from '@jest/globals';

import { readCurl, shellWords } from './read-curl.ts';

describe('shellWords', () => {
  it.each([
    ['a  b\tc', ['a', 'b', 'c']],
    [`'a b' "c d"e`, ['a b', 'c de']],
    [`"a\\"b" 'a\\b' a\\ b`, ['a"b', 'a\\b', 'a b']],
    [`"\\$x \\n"`, ['$x \\n']],
    [`$'a\\'b\\n\\u00e9\\x41'`, ["a'b\néA"]],
    ['a \\\n  b', ['a', 'b']],
    ['a \\\r\n  b', ['a', 'b']],
    [`'' x`, ['', 'x']],
    ['curl x | jq .', ['curl', 'x']],
    ['', []],
  ])('of %j are %j', (line, expected) => {
    expect(shellWords(line)).toEqual(expected);
  });

  it.each([`'a`, `"a\\"`, `$'a`])('refuses %j', (line) => {
    expect(() => shellWords(line)).toThrow('has a quote that is not closed');
  });
});

describe('readCurl', () => {
  it('reads what the documentation of a platform shows', () => {
    const request = readCurl(
      `curl -X POST 'https://api.example/v2/app/users/u-1/session?clientId=op1' \\
        -H 'sign: AB' -H "Content-Type: application/x-www-form-urlencoded" \\
        -d userId=u-1 --data-urlencode 'nick=A & B' --max-time 5 --compressed`,
    );
    expect(request).toEqual({
      method: 'POST',
      url: 'https://api.example/v2/app/users/u-1/session?clientId=op1',
      headers: new Map([
        ['sign', 'AB'],
        ['content-type', 'application/x-www-form-urlencoded'],
      ]),
      body: 'userId=u-1&nick=A%20%26%20B',
    });
  });

  it.each([
    [
      'what a browser copies',
      `curl 'https://a/b' -H 'sign: 1' --data-raw $'{"a":"it\\'s"}'`,
      'POST',
      `{"a":"it's"}`,
    ],
    ['options that are stuck together', 'curl -sXPUT -HSign:1 https://a/b -dx=1', 'PUT', 'x=1'],
    ['an address before or after', 'curl -o out https://a/b', 'GET', undefined],
    ['an address without a scheme', 'curl a.example/b', 'GET', undefined],
  ])('reads %s', (_, line, method, body) => {
    expect(readCurl(line)).toMatchObject({
      method,
      body,
      url: expect.stringMatching(/(https:\/\/a|a\.example)\/b/),
    });
  });

  it('moves the data into the query with -G', () => {
    expect(readCurl('curl -G https://a/b?c=1 -d d=2')).toMatchObject({
      method: 'GET',
      url: 'https://a/b?c=1&d=2',
      body: undefined,
    });
  });

  it.each([
    ['wget https://a', 'is not a curl line'],
    ['curl -X POST', 'names no address'],
    ['curl -F a=b https://a/b', 'multipart form'],
    ['curl -d @/no/such/file https://a/b', /cannot be read \(ENOENT\)/],
  ])('refuses %j', (line, reason) => {
    expect(() => readCurl(line)).toThrow(reason);
  });
});
