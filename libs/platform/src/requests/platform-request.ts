import type { RepeatAfterUnknown } from '#resilience';
import { sign, type SignedParameters, signRawBody } from '#signing';

import { type Operation, OPERATION_TRAITS } from '../operations.ts';
import type { OperatorCredentials } from '../platform-settings.ts';

/** One request of the interface document, complete but for its signature. */
export interface PlatformRequest {
  readonly operation: Operation;
  /** The root of the operator that its path is relative to. */
  readonly root: 'baseUrl' | 'apiUrl';
  readonly method: 'GET' | 'POST';
  /** The path without values, for traces. */
  readonly pathTemplate: string;
  /** With its query, percent-encoded. */
  readonly path: string;
  readonly body: RequestBody | undefined;
  /** From path, query and body, decoded: what is signed. */
  readonly parameters: SignedParameters;
  /** Default: that of its operation. */
  readonly repeatAfterUnknown?: RepeatAfterUnknown;
}

interface RequestBody {
  readonly contentType: 'application/x-www-form-urlencoded' | 'application/vnd.api+json';
  readonly text: string;
}

/** Names and values of a form or a query; `undefined` is absent. */
export type Fields = Readonly<Record<string, string | undefined>>;

/** Encodes fields as `name=value&…`; a space is `%20` and a plus `%2B`, which every decoder reads alike. */
export function encodeFields(fields: Fields): string {
  let text = '';
  for (const name in fields) {
    const value = fields[name];
    if (value === undefined) continue;
    text += `${text && '&'}${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  }
  return text;
}

export function formOf(fields: Fields): RequestBody {
  return { contentType: 'application/x-www-form-urlencoded', text: encodeFields(fields) };
}

/** The `sign` header of a request; `undefined` for an operator without a secret key, whose open-game is sent unsigned. */
export function signRequest(
  { operation, body, parameters }: PlatformRequest,
  { secretKey, settings }: Pick<OperatorCredentials, 'secretKey' | 'settings'>,
): string | undefined {
  if (secretKey === undefined) return undefined;
  const isRaw = OPERATION_TRAITS[operation].scheme === 'v3' && settings.schemeV3 === 'raw-body';
  return isRaw ? signRawBody(body?.text ?? '', secretKey) : sign(parameters, secretKey, settings);
}
