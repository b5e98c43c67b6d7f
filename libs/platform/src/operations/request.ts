import type { Dispatcher } from 'undici';

import type { CommandData } from '#contracts';
import { sign, type SignedParameters } from '#signing';

import type { OperatorCredentials } from '../platform-settings.ts';
import type { Root } from '../transport/connections.ts';
import type { Fields, Operation, PageRequest, Sender } from './operation.ts';
import { DEFINITIONS } from './operations.ts';

/** One request of the interface document, complete except for the signature. */
export type PlatformRequest = ReturnType<typeof requestOf>;

/**
 * Builds the request of a command with valid data, without its signature.
 *
 * @param page page number of a report; default: chosen by the platform
 */
export function requestOf<O extends Operation>(
  operation: O,
  data: CommandData[O],
  sender: Sender,
  page?: PageRequest,
) {
  const parts = DEFINITIONS[operation].request(data, sender, page);
  const { method, pathTemplate, path = {}, query, form, document } = parts;
  let target = pathTemplate;
  for (const name in path) target = target.replace(`{${name}}`, encodeURIComponent(path[name] ?? ''));
  return {
    method,
    repeatAfterUnknown: parts.repeatAfterUnknown,
    /** The operator's root URL: `baseUrl` for the v2 endpoints, `apiUrl` for open-game. */
    root: document ? ('apiUrl' as const) : ('baseUrl' as const),
    pathTemplate,
    /** Path and query, percent-encoded. */
    path: `${target}?${encodeFields(query)}`,
    body: document
      ? { contentType: 'application/vnd.api+json', text: JSON.stringify(document) }
      : form && { contentType: 'application/x-www-form-urlencoded', text: encodeFields(form) },
    /** The signed parameters, decoded, from path, query and body. */
    parameters: { ...query, ...path, ...form, ...document } as SignedParameters,
  };
}

/** Returns undici's options for a signed request. Without a secret key, open-game is sent unsigned. */
export function signedOptions(
  { root, method, path, body, parameters }: PlatformRequest,
  { secretKey, settings }: OperatorCredentials,
  { connections: { route }, prefix }: Root,
): Dispatcher.DispatchOptions {
  const signed = { parameters, body: root === 'apiUrl' ? body?.text : undefined };
  return {
    origin: route.origin,
    method,
    path: prefix + path,
    headers: {
      accept: 'application/vnd.api+json',
      'user-agent': settings.userAgent,
      'content-type': body?.contentType,
      sign: secretKey === undefined ? undefined : sign(signed, secretKey, settings),
      ...route.headers,
    },
    body: body?.text ?? null,
    // undici would close the connection after a GET with a body.
    reset: false,
    // No other request is pipelined on the connection.
    blocking: false,
  };
}

/** Encodes values as `name=value&…`; a space is `%20` and a plus `%2B`, which every decoder reads alike. */
function encodeFields(fields: Fields): string {
  let text = '';
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined) text += `${text && '&'}${name}=${encodeURIComponent(value)}`;
  }
  return text;
}
