import { type SignatureSettings, type SignedPiece, traceSignature } from '#signing';

import { exactJson } from '../input/exact-json.ts';
import { canonicalOf, isOpenGame, isSignedRaw, sealed, type Signed } from './canonical-of.ts';
import type { Row } from './read-rows.ts';

/** A usual mistake, and the signature that it gives for a request. */
export interface Mistake extends Signed {
  readonly name: string;
}

const PAGINATION = new Set(['per-page', 'page', 'sort']);

/**
 * The usual mistakes, each with the signature that it would give. A mistake that makes no difference to a request gives
 * the canonical string itself.
 */
export function mistakesOf(row: Row): readonly Mistake[] {
  const { parameters, settings, secret } = row;
  const otherwise = (change: Partial<SignatureSettings>): Signed =>
    canonicalOf({ ...row, settings: { ...settings, ...change } });
  const joined = (pieces: readonly SignedPiece[], write = (text: string): string => text): Signed =>
    sealed(pieces.map(({ text }) => write(text)).join(''), secret);

  if (isSignedRaw(parameters, settings)) {
    const indented = exactJson({ data: parameters['data'] }, 2);
    return [
      { name: 'the parameters signed, not the body', ...otherwise({ schemeV3: 'parameters' }) },
      { name: 'the body written again, with white space', ...sealed(indented, secret) },
    ];
  }

  const { pieces } = traceSignature(parameters, settings);
  const isDecoding = settings.jsonStrings !== 'none';
  const isPhp = settings.scalars === 'php';
  const keepsClient = settings.openGameClient === 'keep';
  const isInPlace = settings.jsonPlacement === 'in-place';
  const isShallow = settings.exclude === 'top';
  return [
    {
      name: keepsClient ? 'client dropped' : 'client kept',
      ...otherwise({ openGameClient: keepsClient ? 'drop' : 'keep' }),
    },
    isDecoding
      ? { name: 'JSON strings left undecoded', ...otherwise({ jsonStrings: 'none' }) }
      : { name: 'JSON strings decoded', ...otherwise({ jsonStrings: 'containers' }) },
    isInPlace
      ? { name: 'decoded JSON at the top level', ...otherwise({ jsonPlacement: 'merge' }) }
      : { name: 'decoded JSON in its place', ...otherwise({ jsonPlacement: 'in-place' }) },
    isShallow
      ? { name: 'names excluded at every depth', ...otherwise({ exclude: 'deep' }) }
      : { name: 'names excluded at the top only', ...otherwise({ exclude: 'top' }) },
    { name: 'values URL-encoded', ...joined(pieces, percentEncoded) },
    { name: 'values form-encoded', ...joined(pieces, formEncoded) },
    {
      name: 'pagination included',
      ...joined(traceSignature(parameters, settings, { included: PAGINATION }).pieces),
    },
    {
      name: 'names left unsorted',
      ...joined(traceSignature(parameters, settings, { order: Object.keys }).pieces),
    },
    isPhp
      ? { name: 'true, false, null by name', ...otherwise({ scalars: 'json' }) }
      : { name: 'true, false, null as in PHP', ...otherwise({ scalars: 'php' }) },
    ...(isOpenGame(parameters)
      ? [{ name: 'the body signed as JSON', ...otherwise({ schemeV3: 'raw-body' }) }]
      : []),
  ];
}

function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}
