import { describe, expect, it } from '@jest/globals';

import { changedBody, readSet, readUnset } from './redrive.ts';

const changed = (body: string, change: string, isPacket = false): string => {
  const changes = [change.includes('=') ? readSet(change) : readUnset(change)];
  return changedBody(Buffer.from(body), changes, isPacket).toString();
};

describe('changedBody', () => {
  it.each([
    ['a text', '{"a":1}', '/a=de', '{"a":"de"}'],
    ['JSON', '{"a":1}', '/a={"b":[true]}', '{"a":{"b":[true]}}'],
    ['an empty text', '{"a":1}', '/a=', '{"a":""}'],
    ['a text that looks like a number', '{"a":1}', '/a="7"', '{"a":"7"}'],
    ['a value with =', '{}', '/a=b=c', '{"a":"b=c"}'],
    ['a member within objects that are missing', '{}', '/a/b/c=1', '{"a":{"b":{"c":1}}}'],
    ['an item of a list', '{"a":[1,2]}', '/a/1=3', '{"a":[1,3]}'],
    ['a name with / and ~', '{}', '/a~1b~0=1', '{"a/b~":1}'],
    ['a number beyond a double', '{"a":1}', '/a=90071992547409931', '{"a":90071992547409931}'],
    ['one of two, digit for digit', '{"a":90071992547409931}', '/b=2', '{"a":90071992547409931,"b":2}'],
    ['nothing, and so removes', '{"a":{"b":1,"c":2}}', '/a/b', '{"a":{"c":2}}'],
    ['the data of a packet', '{"pattern":"p","data":{}}', '/a=1', '{"pattern":"p","data":{"a":1}}', true],
  ])('sets %s', (_, body, change, expected, isPacket = false) => {
    expect(changed(body, change, isPacket)).toBe(expected);
  });

  it.each([
    ['{"a":"x"}', '/a/b=1', /something other than an object/],
    ['7', '/a=1', /not a JSON object/],
    ...['a=1', '/a~2=1', '/__proto__/b=1'].map(
      (change) => ['{}', change, /JSON pointer, = and a value/] as const,
    ),
  ])('refuses to change %s by %s', (body, change, expected) => {
    expect(() => changed(body, change)).toThrow(expected);
  });
});
