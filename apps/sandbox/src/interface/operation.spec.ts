import { describe, expect, it } from '@jest/globals';
import { operationOf } from './operation.ts';

describe('operation', () => {
  it.each([
    ['POST', '/api/web/v2/app/users/u%2F1/session', 'session'],
    ['POST', '/apiweb/v3/open-game', 'open-game'],
    ['POST', '/api/web/v2/app/reports/ad_hoc', 'ad-hoc-report'],
    ['GET', '/api/web/v2/app/users/rake', 'rake'],
    ['GET', '/apiweb/v3/open-game', undefined],
    ['POST', '/api/web/v2/app/users/rake', undefined],
    ['POST', '/api/web/v2/app/users//session', undefined],
    ['GET', '/sandbox/health', undefined],
  ])('of %s %s is %s', (method, path, operation) => {
    expect(operationOf(method, path)).toBe(operation);
  });
});
