import { canonicalString, type Parameters } from '../signature/canonical-string.ts';
import { formParameters, queryParameters } from '../signature/request-parameters.ts';
import type { FinishedRequest } from '../traffic/describe-request.ts';

const MAX_CANONICAL = 4_096;
const REDACTED = '[redacted]';
/** Never shown, wherever they were put. */
const SECRET_NAMES = ['sign', 'access-token'];

/** What the sandbox made of the signature of a request. It holds no secret key and no digest. */
export interface SignatureVerdict {
  readonly state: 'right' | 'wrong' | 'unsigned' | 'unseen';
  readonly text: string;
  /** The settings with which a wrong signature would be right. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What is signed, before the secret key is appended. */
  readonly canonical?: string;
}

export function signatureVerdict(request: FinishedRequest): SignatureVerdict {
  const { refusal, call } = request.exchange;
  if (refusal) {
    const { reason, settings, canonical } = refusal;
    return { state: 'wrong', text: reason, ...(settings && { settings }), ...shown(request, canonical) };
  }
  if (!call) return { state: 'unseen', text: 'The request was answered before its signature was looked at.' };
  if (call.client.secretKey === undefined)
    return { state: 'unsigned', text: 'This client has no secret key, so open-game needs no signature.' };
  return {
    state: 'right',
    text: 'This string and the secret key give the signature.',
    ...shown(request, signedString(request)),
  };
}

function signedString({ exchange: { operation, body, call } }: FinishedRequest): string {
  if (!call) return '';
  const { client, query, content } = call;
  if (operation === 'open-game' && client.conventions.schemeV3 === 'raw-body') return body.toString();
  return canonicalString({ ...query, ...content }, client.conventions);
}

/** Cut, and without a signature that was sent in the wrong place. */
function shown(
  { url, rawHeaders, exchange }: FinishedRequest,
  canonical: string | undefined,
): Pick<SignatureVerdict, 'canonical'> {
  if (canonical === undefined) return {};
  const headers = rawHeaders.filter((_, index) => isSign(rawHeaders[index - 1], index - 1));
  const sent: Parameters = { ...formParameters(exchange.body.toString()), ...queryParameters(url) };
  const secrets = [...headers, ...SECRET_NAMES.map((name) => sent[name])];
  const redacted = secrets.reduce<string>(
    (text, secret) =>
      typeof secret === 'string' && secret !== '' ? text.replaceAll(secret, REDACTED) : text,
    canonical,
  );
  const text = redacted.length > MAX_CANONICAL ? `${redacted.slice(0, MAX_CANONICAL)}…` : redacted;
  return { canonical: text };
}

/** Whether a raw header, at an even place, is the name of the signature's. */
function isSign(name: string | undefined, index: number): boolean {
  return index % 2 === 0 && name?.toLowerCase() === 'sign';
}
