import { canonicalize, sign, signRawBody, type SignatureSettings, type SignedParameters } from '#signing';

import { exactJson } from '../input/exact-json.ts';

/** What is signed, and the signature if there is a secret. */
export interface Signed {
  readonly canonical: string;
  readonly sign: string | undefined;
}

/** The canonical string and the signature of a request with its settings. */
export function canonicalOf(row: {
  readonly parameters: SignedParameters;
  readonly settings: SignatureSettings;
  readonly secret: string | undefined;
  readonly rawBody?: string | undefined;
}): Signed {
  const { parameters, settings, secret } = row;
  if (isSignedRaw(parameters, settings)) return sealed(rawBodyOf(row), secret);
  return {
    canonical: canonicalize(parameters, settings),
    sign: secret === undefined ? undefined : sign(parameters, secret, settings),
  };
}

/** A canonical string that was built in another way, with its signature. */
export function sealed(canonical: string, secret: string | undefined): Signed {
  return { canonical, sign: secret === undefined ? undefined : signRawBody(canonical, secret) };
}

/** Only open-game has a body with `data`, and only open-game can be signed over its body. */
export function isOpenGame({ data }: SignedParameters): boolean {
  return typeof data === 'object' && data !== null;
}

export function isSignedRaw(parameters: SignedParameters, { schemeV3 }: SignatureSettings): boolean {
  return schemeV3 === 'raw-body' && isOpenGame(parameters);
}

/** The body as it was sent, or else as this service sends it: JSON without white space, names in the given order. */
export function rawBodyOf(row: {
  readonly parameters: SignedParameters;
  readonly rawBody?: string | undefined;
}): string {
  return row.rawBody ?? exactJson({ data: row.parameters['data'] });
}
