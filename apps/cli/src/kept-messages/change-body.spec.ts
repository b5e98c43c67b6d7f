import { describe, expect, it } from '@jest/globals';

import { changedBody, readSet, readUnset } from './change-body.ts';

const changed = (body: string, sets: string[], unsets: string[] = [], isPacket = false): string => {
  const changes = [...unsets.map((text) => readUnset(text)), ...sets.map((text) => readSet(text))];
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
  ])('sets %s', (_, body, set, expected) => {
    expect(changed(body, [set])).toBe(expected);
  });

  it('keeps the digits of what it does not change', () => {
    expect(changed('{"a":90071992547409931,"b":1}', ['/b=2'])).toBe('{"a":90071992547409931,"b":2}');
  });

  it('removes a member', () => {
    expect(changed('{"a":{"b":1,"c":2}}', [], ['/a/b'])).toBe('{"a":{"c":2}}');
  });

  it('changes the data of a packet', () => {
    expect(changed('{"pattern":"p","data":{}}', ['/a=1'], [], true)).toBe('{"pattern":"p","data":{"a":1}}');
  });

  it.each([
    ['a way through a text', '{"a":"x"}', '/a/b=1'],
    ['a body that is no object', '7', '/a=1'],
    ['a body that is no JSON', '{', '/a=1'],
  ])('refuses %s', (_, body, set) => {
    expect(() => changed(body, [set])).toThrow(/something other than an object|not a JSON object/);
  });
});

describe('a change', () => {
  it.each(['a=1', '/a', '', '/a~2=1', '/__proto__/b=1'])('is not %j', (text) => {
    expect(() => readSet(text)).toThrow('JSON pointer, = and a value');
  });
});
