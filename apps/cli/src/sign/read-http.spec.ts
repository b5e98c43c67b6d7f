import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { readCurl, shellWords } from './read-http.ts';

it.each([
  ['a  b\tc', ['a', 'b', 'c']],
  [`'a b' "c d"e`, ['a b', 'c de']],
  [`"a\\"b" 'a\\b' a\\ b`, ['a"b', 'a\\b', 'a b']],
  [`"\\$x \\n"`, ['$x \\n']],
  [`$'a\\'b\\n\\u00e9\\x41'`, ["a'b\néA"]],
  ['a \\\n  b \\\r\n c', ['a', 'b', 'c']],
  [`'' x`, ['', 'x']],
  ['curl x | jq .', ['curl', 'x']],
])('splits %j into the words %j', (line, expected) => {
  expect(shellWords(line)).toEqual(expected);
});

describe('readCurl', () => {
  it.each([
    [
      `curl -X POST 'https://a/b?c=op1' \\\n -H "Sign: AB" -H 'Content-Type: application/x-www-form-urlencoded' \\
        -d userId=u-1 --data-urlencode 'nick=A & B' --max-time 5 --compressed`,
      { method: 'POST', url: 'https://a/b?c=op1', body: 'userId=u-1&nick=A%20%26%20B' },
    ],
    [
      `curl 'https://a/b' -H 'sign: AB' --data-raw $'{"a":"it\\'s"}'`,
      { method: 'POST', url: 'https://a/b', body: `{"a":"it's"}` },
    ],
    ['curl -sXPUT -HSign:AB https://a/b -dx=1', { method: 'PUT', url: 'https://a/b', body: 'x=1' }],
    ['curl -o out https://a/b -H sign:AB', { method: 'GET', url: 'https://a/b', body: undefined }],
    ['curl a.example/b -H sign:AB', { method: 'GET', url: 'a.example/b', body: undefined }],
    [
      'curl -G https://a/b?c=1 -d d=2 -H sign:AB',
      { method: 'GET', url: 'https://a/b?c=1&d=2', body: undefined },
    ],
  ])('reads %s', async (line, expected) => {
    const { headers, ...request } = await readCurl(line);
    expect([request, headers.get('sign')]).toEqual([expected, 'AB']);
  });

  it('reads the data of files, without their line breaks unless it is binary', async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'poker-bridge-curl-'));
    const file = join(folder.path, 'form');
    writeFileSync(file, 'x=1\r\n2\n');
    const { body } = await readCurl(`curl https://a/b -d @${file} --data-binary @${file} --data-raw @c`);
    expect(body).toBe('x=12&x=1\r\n2\n&@c');
  });

  it.each([
    ['wget https://a', 'is not a curl line'],
    ['curl -X POST', 'names no address'],
    ['curl -F a=b https://a/b', 'multipart form'],
    ['curl -d @/no/such/file https://a/b', /cannot be read \(ENOENT\)/],
    ...[`'a`, `"a\\"`, `$'a`].map((word) => [`curl ${word}`, 'has a quote that is not closed'] as const),
  ])('refuses %j', async (line, reason) => {
    await expect(readCurl(line)).rejects.toThrow(reason);
  });
});
