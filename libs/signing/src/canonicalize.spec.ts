import { describe, expect, it } from '@jest/globals';

import { canonicalize } from './canonicalize.ts';
import { DEFAULT_SIGNATURE_SETTINGS } from './signature-settings.ts';

const canonical = (parameters: Record<string, unknown>, overrides = {}) =>
  canonicalize(parameters, { ...DEFAULT_SIGNATURE_SETTINGS, ...overrides });

describe('canonicalize', () => {
  it('decodes strings of JSON at any depth, but only once', () => {
    const inner = JSON.stringify({ b: '2', a: '1' });
    const outer = JSON.stringify({ deep: inner });
    expect(canonical({ data: { list: [inner] } })).toBe('12');
    expect(canonical({ data: { list: [outer] } })).toBe(inner);
  });

  it('decodes a container with white space around it', () => {
    expect(canonical({ nick: ' \n[ "b", "a" ] ' })).toBe('ba');
  });

  it.each([
    ['1e5', '1e5', '100000'],
    ['"quoted"', '"quoted"', 'quoted'],
    ['null', 'null', ''],
    ['12345678901234567890', '12345678901234567890', '12345678901234567890'],
    ['007', '007', '007'],
    ['[1', '[1', '[1'],
    ['', '', ''],
  ])('writes the string %j as %j, or as %j if all JSON is decoded', (nick, containers, all) => {
    expect(canonical({ nick })).toBe(containers);
    expect(canonical({ nick }, { jsonStrings: 'all' })).toBe(all);
  });

  it('keeps the digits of integers that no double holds', () => {
    expect(canonical({ options: '{"a":9007199254740993,"b":-12345678901234567890}' })).toBe(
      '9007199254740993-12345678901234567890',
    );
  });

  it('ignores members that are undefined', () => {
    const parameters = { a: undefined, b: { c: undefined, d: 'x' } };
    expect(canonical(parameters)).toBe('x');
    expect(canonical(parameters, { scalars: 'json' })).toBe('x');
  });

  it('excludes names at the top only', () => {
    expect(canonical({ page: 1, clientId: 'op', data: { page: 2, clientId: 'op', client: 'x' } })).toBe(
      'xop2',
    );
  });

  it('treats names of the prototype like any other', () => {
    const parameters = JSON.parse('{"__proto__":{"b":"2","a":"1"},"constructor":"c","hasOwnProperty":"h"}');
    expect(canonical(parameters)).toBe('12ch');
    expect(canonical({ nick: '{"__proto__":{"page":"p"}}' })).toBe('p');
    expect(({} as Record<string, unknown>)['page']).toBeUndefined();
  });

  it('follows 512 levels, as data and within a string', () => {
    const text = `${'{"a":['.repeat(256)}"x"${']}'.repeat(256)}`;
    expect(canonical({ data: JSON.parse(text) })).toBe('x');
    expect(canonical({ data: text })).toBe('x');
  });
});
