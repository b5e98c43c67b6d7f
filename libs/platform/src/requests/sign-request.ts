import { sign, signRawBody } from '#signing';

import { OPERATION_TRAITS } from '../operations.ts';
import type { OperatorCredentials } from '../platform-settings.ts';
import type { PlatformRequest } from './platform-request.ts';

/** The `sign` header of a request; `undefined` for an operator without a secret key, whose open-game is sent unsigned. */
export function signRequest(request: PlatformRequest, credentials: OperatorCredentials): string | undefined {
  const { secretKey, settings } = credentials;
  if (secretKey === undefined) return undefined;
  if (OPERATION_TRAITS[request.operation].scheme === 'v3' && settings.schemeV3 === 'raw-body') {
    return signRawBody(request.body?.text ?? '', secretKey);
  }
  return sign(request.parameters, secretKey, settings);
}
