import { parseExactJson, type SignedParameters } from '#signing';

import { jsonFault } from '../input/json.ts';
import type { HttpRequest } from './read-raw-request.ts';
import type { OwnSettings } from './own-settings.ts';
import type { Row } from './read-rows.ts';

const SESSION_PATH = /\/v2\/app\/users\/([^/]+)\/session$/;

/**
 * The parameters of a request from its query, path and body, and the signature that it was sent with.
 *
 * @throws Error with the reason, if its address or its body cannot be read
 */
export function rowOfRequest(request: HttpRequest, { secret, settings }: OwnSettings): Row {
  const { method, url, headers, body } = request;
  const address = URL.parse(/^https?:\/\//i.test(url) ? url : `http://localhost/${url.replace(/^\//, '')}`);
  if (!address) throw new Error('has an address that cannot be read');
  const query = Object.fromEntries(address.searchParams);
  const content = contentOf(body, headers.get('content-type'));
  const [, encodedId] = SESSION_PATH.exec(address.pathname) ?? [];
  const userId = encodedId === undefined ? undefined : decodeURIComponent(encodedId);
  const parameters = { ...query, ...(userId !== undefined && { userId }), ...content };
  const name = `${method} ${address.pathname}`;
  const notes = notesOf(request, userId, content);
  const sign = headers.get('sign');
  return {
    given: { name, parameters },
    name,
    parameters,
    secret,
    settings,
    expectedSign: sign,
    rawBody: body,
    notes,
  };
}

function contentOf(body: string | undefined, contentType = ''): SignedParameters {
  if (body === undefined) return {};
  const isForm = /^\s*application\/x-www-form-urlencoded/i.test(contentType);
  if (!isForm && /^\s*[{[]/.test(body)) {
    const fault = jsonFault(body);
    if (fault !== undefined) throw new Error(`has a body that ${fault}`);
    return parseExactJson(body) as SignedParameters;
  }
  return Object.fromEntries(new URLSearchParams(body));
}

/** What the platform refuses whatever the signature is. */
function notesOf(
  { headers, body }: HttpRequest,
  userId: string | undefined,
  content: SignedParameters,
): string[] {
  const notes: string[] = [];
  if (!headers.has('sign')) notes.push('it has no header sign');
  const isJson = /^\s*[{[]/.test(body ?? '');
  const contentType = headers.get('content-type') ?? '';
  if (isJson && !contentType.startsWith('application/vnd.api+json')) {
    notes.push('its Content-Type is not application/vnd.api+json');
  }
  if (userId !== undefined && content['userId'] !== userId) {
    notes.push('its form does not hold the userId of its path, which the platform wants in both');
  }
  return notes;
}
