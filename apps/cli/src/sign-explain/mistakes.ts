import { createHash, createHmac } from 'node:crypto';

import { type SignatureSettings, traceSignature } from '#signing';

import { exactJson } from '../input/exact-json.ts';
import { isOpenGame, isSignedRaw, rawBodyOf, sealed, type Signed } from './canonical-of.ts';
import type { Row } from './read-rows.ts';

/** A usual mistake, and the signature that it gives for a request. */
export interface Mistake extends Signed {
  readonly name: string;
}

/** A way to sign a request, right or wrong. */
interface Way {
  readonly settings: SignatureSettings;
  /** Names that take part although they are excluded. */
  readonly included: readonly string[];
  readonly order?: (members: object) => readonly string[];
  readonly write?: (text: string) => string;
  readonly isIndented?: true;
  readonly digest?: (canonical: string, secret: string) => string;
}

interface Deviation {
  readonly name: string;
  readonly change: (way: Way) => Way;
}

const PAGINATION = ['per-page', 'page', 'sort'];

/**
 * The usual mistakes, each with the signature that it would give. A mistake that makes no difference to a request gives
 * the canonical string itself.
 */
export function mistakesOf(row: Row): readonly Mistake[] {
  return deviationsOf(row).map((deviation) => mistakeOf(row, [deviation]));
}

/** The mistake, or the two at once, that give a signature; undefined if none do. */
export function mistakeBehind(row: Row, sign: string): Mistake | undefined {
  const single = [...deviationsOf(row), ...digestDeviations()];
  const pairs = single.flatMap((one, index) => single.slice(index + 1).map((other) => [one, other]));
  for (const deviations of [...single.map((one) => [one]), ...pairs]) {
    const mistake = mistakeOf(row, deviations);
    if (mistake.sign === sign) return mistake;
  }
  return undefined;
}

function mistakeOf(row: Row, deviations: readonly Deviation[]): Mistake {
  const right: Way = { settings: row.settings, included: [] };
  const way = deviations.reduce((changed, { change }) => change(changed), right);
  return { name: deviations.map(({ name }) => name).join(', and '), ...signedBy(row, way) };
}

function signedBy(row: Row, { settings, included, order, write, isIndented, digest }: Way): Signed {
  const { parameters, secret } = row;
  let canonical: string;
  if (isSignedRaw(parameters, settings)) {
    canonical = isIndented ? exactJson({ data: parameters['data'] }, 2) : rawBodyOf(row);
  } else {
    const { pieces } = traceSignature(parameters, settings, {
      included: new Set(included),
      ...(order && { order }),
    });
    canonical = pieces.map(({ text }) => (write ? write(text) : text)).join('');
  }
  if (digest === undefined || secret === undefined) return sealed(canonical, secret);
  return { canonical, sign: digest(canonical, secret) };
}

/** What is done to the parameters, or to the body. */
function deviationsOf({ parameters, settings }: Row): readonly Deviation[] {
  const otherwise = (name: string, change: Partial<SignatureSettings>): Deviation => ({
    name,
    change: (way) => ({ ...way, settings: { ...way.settings, ...change } }),
  });
  if (isSignedRaw(parameters, settings)) {
    return [
      otherwise('the parameters signed, not the body', { schemeV3: 'parameters' }),
      { name: 'the body written again, with white space', change: (way) => ({ ...way, isIndented: true }) },
    ];
  }
  return [
    settings.openGameClient === 'keep'
      ? otherwise('client dropped', { openGameClient: 'drop' })
      : otherwise('client kept', { openGameClient: 'keep' }),
    settings.jsonStrings === 'none'
      ? otherwise('JSON strings decoded', { jsonStrings: 'containers' })
      : otherwise('JSON strings left undecoded', { jsonStrings: 'none' }),
    settings.jsonPlacement === 'in-place'
      ? otherwise('decoded JSON at the top level', { jsonPlacement: 'merge' })
      : otherwise('decoded JSON in its place', { jsonPlacement: 'in-place' }),
    settings.exclude === 'top'
      ? otherwise('names excluded at every depth', { exclude: 'deep' })
      : otherwise('names excluded at the top only', { exclude: 'top' }),
    { name: 'values URL-encoded', change: (way) => ({ ...way, write: percentEncoded }) },
    { name: 'values form-encoded', change: (way) => ({ ...way, write: formEncoded }) },
    {
      name: 'pagination included',
      change: (way) => ({ ...way, included: [...way.included, ...PAGINATION] }),
    },
    { name: 'names left unsorted', change: (way) => ({ ...way, order: Object.keys }) },
    settings.scalars === 'php'
      ? otherwise('true, false, null by name', { scalars: 'json' })
      : otherwise('true, false, null as in PHP', { scalars: 'php' }),
    ...(isOpenGame(parameters) ? [otherwise('the body signed as JSON', { schemeV3: 'raw-body' })] : []),
  ];
}

/** What is done with the secret, and what the platform cannot know: they are looked for, and not listed. */
function digestDeviations(): readonly Deviation[] {
  const otherwise = (name: string, digest: Way['digest']): Deviation => ({
    name,
    change: (way) => ({ ...way, ...(digest && { digest }) }),
  });
  return [
    otherwise('the secret left out', (canonical) => sha256(canonical)),
    otherwise('the secret first', (canonical, secret) => sha256(secret + canonical)),
    otherwise('a line break after the secret', (canonical, secret) => sha256(`${canonical + secret}\n`)),
    otherwise('an HMAC with the secret as its key', (canonical, secret) =>
      createHmac('sha256', secret).update(canonical).digest('hex'),
    ),
    {
      name: 'clientId included',
      change: (way) => ({ ...way, included: [...way.included, 'clientId'] }),
    },
  ];
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}
