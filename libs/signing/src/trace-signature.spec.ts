import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { canonicalize } from './canonicalize.ts';
import {
  DEFAULT_SIGNATURE_SETTINGS,
  type SignatureSettings,
  type SignedParameters,
} from './signature-settings.ts';
import { type SignedPiece, traceSignature } from './trace-signature.ts';

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
