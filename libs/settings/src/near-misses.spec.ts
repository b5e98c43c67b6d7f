import { describe, expect, it } from '@jest/globals';

import { nearMissesIn } from './near-misses.ts';
import { SETTINGS } from './settings.ts';

describe('nearMissesIn', () => {
  it.each([
    ['PLATFORM_SECRT_KEY', 'PLATFORM_SECRET_KEY'],
    ['PLATFORM_SECRET', 'PLATFORM_SECRET_KEY'],
    ['AMQP_URI', 'AMQP_URL'],
    ['REDIS_URI', 'REDIS_URL'],
    ['OPERATOR_FILE', 'OPERATORS_FILE'],
    ['REPORTS_PAGE', 'REPORTS_PER_PAGE'],
  ])('takes %s for %s', (variable, meant) => {
    expect(nearMissesIn({ [variable]: 'CANARY' })).toEqual([{ variable, meant }]);
  });

  it('leaves alone what is a setting, a file of a secret, unset, or of other programs', () => {
    const own = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, 'x']));
    const foreign = [
      'PATH',
      'HOME',
      'HTTP_PROXY',
      'NODE_ENV',
      'OTEL_SERVICE_NAME',
      'REDIS_PASSWORD_HASH',
      'LANG',
      'LINES',
    ];
    const files = { AMQP_URL_FILE: 'x', PLATFORM_SECRET_KEY_FILE: 'x' };
    const others = Object.fromEntries(foreign.map((name) => [name, 'x']));
    expect(nearMissesIn({ ...own, ...files, ...others, AMQP_URI: '' })).toEqual([]);
  });
});
