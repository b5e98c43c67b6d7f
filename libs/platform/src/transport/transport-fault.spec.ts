import { expect, it } from '@jest/globals';

import { transportFault } from './transport-fault.ts';

const named = (code?: string, name = 'Error') => Object.assign(new Error('text'), { code, name });

it.each([
  ['unsent', named('ECONNREFUSED'), 'refused'],
  ['unsent', named('ENOTFOUND'), 'unreachable'],
  ['unsent', named('ECONNRESET'), 'unreachable'],
  ['unsent', named('UND_ERR_CONNECT_TIMEOUT'), 'timeout'],
  ['unsent', named('UND_ERR_DESTROYED'), 'closed'],
  ['sent', named('ECONNRESET'), 'reset'],
  ['sent', named('UND_ERR_SOCKET'), 'reset'],
  ['sent', named('UND_ERR_HEADERS_TIMEOUT'), 'timeout'],
  ['sent', named('UND_ERR_HEADERS_OVERFLOW'), 'malformed'],
  ['sent', named(undefined, 'HTTPParserError'), 'malformed'],
  ['sent', named(), 'reset'],
  ['answering', named('UND_ERR_RES_CONTENT_LENGTH_MISMATCH'), 'truncated'],
  ['answering', named('UND_ERR_BODY_TIMEOUT'), 'timeout'],
  ['answering', named('ECONNRESET'), 'truncated'],
] as const)('%s, %s: %s', (phase, error, fault) => {
  expect(transportFault(error, phase)).toBe(fault);
});
