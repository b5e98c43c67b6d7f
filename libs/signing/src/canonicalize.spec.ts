import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { canonicalize } from './canonicalize.ts';
import { parseExactJson } from './exact-json.ts';
import {
  DEFAULT_SIGNATURE_SETTINGS,
  type SignatureSettings,
  type SignedParameters,
} from './signature-settings.ts';
import { type SignedPiece, traceSignature } from './trace-signature.ts';

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

const textOf = (pieces: readonly SignedPiece[]): string => pieces.map(({ text }) => text).join('');
const settings = fc.record<SignatureSettings>({
  scalars: fc.constantFrom('php', 'json'),
  openGameClient: fc.constantFrom('keep', 'drop'),
  jsonStrings: fc.constantFrom('containers', 'all', 'none'),
  jsonPlacement: fc.constantFrom('in-place', 'merge'),
  exclude: fc.constantFrom('top', 'deep'),
  schemeV3: fc.constant('parameters'),
});
const name = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'client', 'page', 'clientId'));
const value = fc.oneof(fc.jsonValue(), fc.json(), fc.constant(undefined));
const parameters = fc
  .array(fc.tuple(name, value), { maxLength: 8 })
  .map((entries) => Object.fromEntries(entries) as SignedParameters);

describe('traceSignature', () => {
  it('joins to the canonical string, whatever is signed', () => {
    fc.assert(
      fc.property(parameters, settings, (given, how) => {
        expect(textOf(traceSignature(given, how).pieces)).toBe(canonicalize(given, how));
      }),
    );
  });

  it('lists what takes part, and the path of each value', () => {
    const given = { sort: 'x', nick: '{"b":[true],"a":"1"}', client: 'op', data: { list: ['z', null] } };
    expect(traceSignature(given, { ...DEFAULT_SIGNATURE_SETTINGS, openGameClient: 'drop' })).toEqual({
      kept: ['data', 'nick'],
      dropped: [['client'], ['sort']],
      pieces: [
        { path: ['data', 'list', '0'], value: 'z', text: 'z', isDecoded: false, isJoined: false },
        { path: ['data', 'list', '1'], value: null, text: '', isDecoded: false, isJoined: false },
        { path: ['nick', 'a'], value: '1', text: '1', isDecoded: true, isJoined: false },
        { path: ['nick', 'b', '0'], value: true, text: '1', isDecoded: true, isJoined: false },
      ],
    });
  });

  it('lists what is dropped at any depth, through decoded strings too', () => {
    const given = { data: { list: [{ page: '1', a: '2' }], nick: '{"b":"3","sort":"4"}' } };
    expect(traceSignature(given, { ...DEFAULT_SIGNATURE_SETTINGS, exclude: 'deep' })).toMatchObject({
      kept: ['data'],
      dropped: [
        ['data', 'list', '0', 'page'],
        ['data', 'nick', 'sort'],
      ],
      pieces: [{ path: ['data', 'list', '0', 'a'] }, { path: ['data', 'nick', 'b'] }],
    });
  });

  it('shows what joins the top level where it is signed', () => {
    const given = { data: { nick: '{"b":"3","sort":"4"}', list: ['[1,2]', 'k'] }, a: '5' };
    expect(traceSignature(given, { ...DEFAULT_SIGNATURE_SETTINGS, jsonPlacement: 'merge' })).toEqual({
      kept: ['0', 'a', 'b', 'data'],
      dropped: [['sort']],
      pieces: [
        { path: ['0', '0'], value: '1', text: '1', isDecoded: true, isJoined: true },
        { path: ['0', '1'], value: '2', text: '2', isDecoded: true, isJoined: true },
        { path: ['a'], value: '5', text: '5', isDecoded: false, isJoined: false },
        { path: ['b'], value: '3', text: '3', isDecoded: true, isJoined: true },
        { path: ['data', 'list', '1'], value: 'k', text: 'k', isDecoded: false, isJoined: false },
      ],
    });
  });

  it('follows a deviating order at every depth, and not in lists', () => {
    const given = { b: { d: '1', c: '2' }, a: ['4', '3'] };
    const { pieces } = traceSignature(given, DEFAULT_SIGNATURE_SETTINGS, { order: Object.keys });
    expect(textOf(pieces)).toBe('1243');
  });

  it('includes what a caller includes by mistake, in its place', () => {
    const given = { z: '1', page: '2', clientId: '3', a: '4' };
    const included = ['page'];
    const { pieces, dropped } = traceSignature(given, DEFAULT_SIGNATURE_SETTINGS, { included });
    expect([textOf(pieces), dropped]).toEqual(['421', [['clientId']]]);
  });
});

describe('parseExactJson', () => {
  it('reads every integer with all its digits', () => {
    fc.assert(
      fc.property(fc.bigInt(), (integer) => {
        const [read] = parseExactJson(`[${integer}]`) as [number | bigint];
        expect(String(read)).toBe(String(integer));
      }),
    );
  });

  it.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['-12345678901234567890', -12345678901234567890n],
    ['12345678901234567890.5', 12345678901234567000],
    ['1e30', 1e30],
    ['1e400', Infinity],
    ['-0', -0],
    ['0.1', 0.1],
    ['"12345678901234567890"', '12345678901234567890'],
  ])('reads %s', (text, expected) => {
    expect(parseExactJson(text)).toBe(expected);
  });

  it('reads what a double does not hold as it is told', () => {
    const keep = (digits: string): string => `<${digits}>`;
    expect(parseExactJson('{"a":[9007199254740993,1e400,1e30,1.5,7]}', keep)).toEqual({
      a: ['<9007199254740993>', '<1e400>', '<1e30>', 1.5, 7],
    });
  });

  it('does not parse what is not JSON', () => {
    expect(() => parseExactJson('{')).toThrow(SyntaxError);
    expect(() => parseExactJson('{"a":1234567890123456')).toThrow(SyntaxError);
  });
});
