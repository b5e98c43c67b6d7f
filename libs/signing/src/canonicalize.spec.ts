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
    ['12345678901234567890', '12345678901234567890', '1.2345678901235E+19'],
    ['007', '007', '007'],
    ['[1', '[1', '[1'],
    ['', '', ''],
  ])('writes the string %j as %j, or as %j if all JSON is decoded', (nick, containers, all) => {
    expect(canonical({ nick })).toBe(containers);
    expect(canonical({ nick }, { jsonStrings: 'all' })).toBe(all);
  });

  it('keeps the digits of integers that no double holds, as far as PHP has integers', () => {
    expect(canonical({ options: '{"a":9007199254740993,"b":-12345678901234567890}' })).toBe(
      '9007199254740993-1.2345678901235E+19',
    );
  });

  it('writes numbers that are no strings in the same way', () => {
    const numbers = [1.5, 1e25, 9007199254740993n, 12345678901234567890n, 0, -0];
    expect(canonical({ numbers })).toBe('1.51.0E+2590071992547409931.2345678901235E+1900');
  });

  it('ignores members that are undefined', () => {
    const parameters = { a: undefined, b: { c: undefined, d: 'x' } };
    expect(canonical(parameters)).toBe('x');
    expect(canonical(parameters, { scalars: 'json' })).toBe('x');
  });

  it('excludes names at the top only, or at every depth', () => {
    expect(canonical({ page: 1, clientId: 'op', data: { page: 2, clientId: 'op', client: 'x' } })).toBe(
      'xop2',
    );
    expect(canonical({ page: 1, data: { page: 2, client: 'x' }, client: 'op' }, { exclude: 'deep' })).toBe(
      'opx',
    );
  });

  it('lets members of decoded strings join the top level, the later of one name', () => {
    const parameters = { b: '{"z":"1","y":["p"]}', 0: 'first', a: { c: '{"z":"2"}', d: '["q"]' } };
    expect(canonical(parameters, { jsonPlacement: 'merge' })).toBe('firstqp2');
  });

  it('treats names of the prototype like any other', () => {
    const parameters = JSON.parse('{"__proto__":{"b":"2","a":"1"},"constructor":"c","hasOwnProperty":"h"}');
    expect(canonical(parameters)).toBe('12ch');
    expect(canonical({ nick: '{"__proto__":{"page":"p"}}' })).toBe('p');
    expect(({} as Record<string, unknown>)['page']).toBeUndefined();
  });

  it('follows 512 levels, and within a string the 511 that PHP reads', () => {
    const deep = `${'{"a":['.repeat(255)}{"b":"x"}${']}'.repeat(255)}`;
    expect(canonical({ data: [JSON.parse(deep)] })).toBe('x');
    expect(canonical({ data: deep })).toBe('x');
    expect(canonical({ data: `[${deep}]` })).toBe(`[${deep}]`);
  });
});
