import { hash } from 'node:crypto';
import type { Client, Conventions } from '../clients/client.ts';
import { canonicalString } from '../signature/canonical-string.ts';
import { expectedSignature, type SignedContent } from '../signature/signature.ts';
import { deviatingString } from './deviating-string.ts';
import type { Deviation } from './deviation.ts';
import { deviationsOf } from './deviations.ts';
import { differenceOf, differingSettings, otherConventions } from './other-conventions.ts';

// beyond it the search would slow other requests
const MAX_BODY_BYTES = 16_384;

/** What is wrong with a signature. Only the sandbox explains this. */
export interface Explanation {
  readonly reason: string;
  /** The settings with which the signature would be right, if they differ from the client's. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What must be signed, before the secret key is appended. */
  readonly canonical?: string;
}

/** A request whose signature is wrong. */
export interface Mismatch {
  readonly sent: string;
  readonly content: SignedContent;
  readonly client: Client & { readonly secretKey: string };
  /** Secret keys of the other clients, by their ids. */
  readonly otherSecretKeys: ReadonlyMap<string, string>;
}

/**
 * Finds which usual mistake, which settings, or both together give the signature that was sent. It shows the string to
 * be signed only if that is short, and never a secret key or a correct digest.
 */
export function explainSignature(mismatch: Mismatch): Explanation {
  const { content, client } = mismatch;
  if (content.body.length > MAX_BODY_BYTES)
    return { reason: 'The signature is wrong; the request is too large to look for the mistake.' };
  const { version } = content;
  const canonical =
    version === 'v3' && client.conventions.schemeV3 === 'raw-body'
      ? { canonical: content.body.toString() }
      : { canonical: canonicalString(content.parameters, client.conventions) };
  return { ...find(mismatch), ...canonical };
}

function find({ sent, content, client, otherSecretKeys }: Mismatch): Explanation {
  const { secretKey, conventions: own } = client;
  const others = otherConventions(content, own);
  const isSent = (signature: string) => signature === sent;

  for (const conventions of others)
    if (isSent(expectedSignature(content, secretKey, conventions)))
      return explanation(differenceOf(conventions, own), conventions, own);

  for (const conventions of [own, ...others]) {
    for (const [id, otherKey] of otherSecretKeys)
      if (isSent(expectedSignature(content, otherKey, conventions)))
        return explanation(`The secret key is that of the client ${id}.`, conventions, own);
    for (const variant of [secretKey.trim(), `${secretKey}\n`, `${secretKey}\r\n`])
      if (isSent(expectedSignature(content, variant, conventions)))
        return explanation(
          'White space at the end of the secret key is missing or too much.',
          conventions,
          own,
        );
    for (const deviation of deviationsOf(content))
      if (isSent(deviatingSignature(content, secretKey, conventions, deviation)))
        return explanation(deviation.reason, conventions, own);
  }
  return {
    reason: /^[0-9a-f]{64}$/.test(sent)
      ? 'No usual mistake gives this signature: either the secret key or a value differs from what was sent.'
      : 'The signature is not 64 lowercase hexadecimal digits.',
  };
}

function deviatingSignature(
  { parameters }: SignedContent,
  secretKey: string,
  conventions: Conventions,
  deviation: Deviation,
): string {
  const { seal = (canonical: string, key: string) => hash('sha256', canonical + key) } = deviation;
  return seal(deviatingString(parameters, conventions, deviation), secretKey);
}

function explanation(reason: string, conventions: Conventions, own: Conventions): Explanation {
  const settings = differingSettings(conventions, own);
  return Object.keys(settings).length > 0 ? { reason, settings } : { reason };
}
