import type { SessionCreate } from '#contracts';

import { encodeFields } from './encode-fields.ts';
import type { PlatformRequest } from './platform-request.ts';

/** Interface document, endpoint 1: `userId` is sent in the path and in the form, and signed once. */
export function sessionRequest(data: SessionCreate, clientId: string): PlatformRequest {
  const { userId, nick, authType, lang, currency } = data;
  const form = { userId, nick, authType, lang, currency };
  return {
    operation: 'session.create',
    root: 'baseUrl',
    method: 'POST',
    pathTemplate: '/v2/app/users/{userId}/session',
    path: `/v2/app/users/${encodeURIComponent(userId)}/session?clientId=${encodeURIComponent(clientId)}`,
    body: { contentType: 'application/x-www-form-urlencoded', text: encodeFields(form) },
    parameters: { clientId, ...form },
  };
}
