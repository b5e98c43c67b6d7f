import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { canonicalize, type SignedParameters } from './canonicalize.ts';
import { DEFAULT_SIGNATURE_SETTINGS, type SignatureSettings } from './signature-settings.ts';
import { type SignedPiece, traceSignature } from './trace-signature.ts';

const textOf = (pieces: readonly SignedPiece[]): string => pieces.map(({ text }) => text).join('');

const settings = fc.record<SignatureSettings>({
  scalars: fc.constantFrom('php', 'json'),
  openGameClient: fc.constantFrom('keep', 'drop'),
  jsonStrings: fc.constantFrom('containers', 'all', 'none'),
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
      dropped: ['client', 'sort'],
      pieces: [
        { path: ['data', 'list', '0'], value: 'z', text: 'z', isDecoded: false },
        { path: ['data', 'list', '1'], value: null, text: '', isDecoded: false },
        { path: ['nick', 'a'], value: '1', text: '1', isDecoded: true },
        { path: ['nick', 'b', '0'], value: true, text: '1', isDecoded: true },
      ],
    });
  });

  it('follows a deviating order at every depth, and not in lists', () => {
    const given = { b: { d: '1', c: '2' }, a: ['4', '3'] };
    const { pieces } = traceSignature(given, DEFAULT_SIGNATURE_SETTINGS, { order: (names) => names });
    expect(textOf(pieces)).toBe('1243');
  });

  it('includes what a caller includes by mistake, in its place', () => {
    const given = { z: '1', page: '2', clientId: '3', a: '4' };
    const included = new Set(['page']);
    const { pieces, dropped } = traceSignature(given, DEFAULT_SIGNATURE_SETTINGS, { included });
    expect([textOf(pieces), dropped]).toEqual(['421', ['clientId']]);
  });
});
