import { describe, expect, it } from '@jest/globals';

import { canonicalize } from './sign.ts';
import { DEFAULT_SIGNATURE_SETTINGS } from './signature-settings.ts';
import { type SignedPiece, traceSignature } from './trace-signature.ts';

const canonical = (parameters: Record<string, unknown>, overrides = {}) =>
  canonicalize(parameters, { ...DEFAULT_SIGNATURE_SETTINGS, ...overrides });
const textOf = (pieces: readonly SignedPiece[]): string => pieces.map(({ text }) => text).join('');

// The golden vectors of sign.spec.ts hold what is not shown here.
describe('canonicalize', () => {
  it('decodes strings of JSON at any depth, but only once', () => {
    const inner = JSON.stringify({ b: '2', a: '1' });
    const outer = JSON.stringify({ deep: inner });
    expect(canonical({ data: { list: [inner] } })).toBe('12');
    expect(canonical({ data: { list: [outer] } })).toBe(inner);
  });

  it.each([
    ['"quoted"', 'quoted'],
    ['null', ''],
    ['007', '007'],
    ['[1', '[1'],
    ['', ''],
  ])('leaves the string %j as it is, or writes it as %j if all JSON is decoded', (nick, all) => {
    expect(canonical({ nick })).toBe(nick);
    expect(canonical({ nick }, { jsonStrings: 'all' })).toBe(all);
  });

  it('writes numbers that are no strings as those in strings', () => {
    const numbers = [1.5, 1e25, 9007199254740993n, 12345678901234567890n, 0, -0];
    expect(canonical({ numbers })).toBe('1.51.0E+2590071992547409931.2345678901235E+1900');
  });

  it('ignores members that are undefined', () => {
    expect(canonical({ a: undefined, b: { c: undefined, d: 'x' } }, { scalars: 'json' })).toBe('x');
  });

  it('treats names of the prototype like any other', () => {
    const parameters = JSON.parse('{"__proto__":{"b":"2","a":"1"},"constructor":"c","hasOwnProperty":"h"}');
    expect(canonical(parameters)).toBe('12ch');
    expect(canonical({ nick: '{"__proto__":{"page":"p"}}' })).toBe('p');
    expect(({} as Record<string, unknown>)['page']).toBeUndefined();
  });

  it('takes no longer for thousands of values that are nested deep', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(500)}[${'1,'.repeat(3_000)}1]${'}'.repeat(500)}`);
    const used = process.threadCpuUsage();
    expect(canonical({ deep })).toHaveLength(3_001);
    expect(process.threadCpuUsage(used).user / 1_000).toBeLessThan(50);
  });
});

describe('traceSignature', () => {
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

  it('includes what a caller includes by mistake, in its place', () => {
    const given = { z: '1', page: '2', clientId: '3', a: '4' };
    const included = ['page'];
    const { pieces, dropped } = traceSignature(given, DEFAULT_SIGNATURE_SETTINGS, { included });
    expect([textOf(pieces), dropped]).toEqual(['421', [['clientId']]]);
  });
});
