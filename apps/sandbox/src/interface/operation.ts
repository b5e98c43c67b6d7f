/** The endpoints of the interface document, by the names that the sandbox uses for them. */
export const OPERATIONS = ['session', 'open-game', 'ad-hoc-report', 'rake'] as const;

export type Operation = (typeof OPERATIONS)[number];

/** The endpoint that a request is for, or undefined if the interface has none. */
export function operationOf(method: string, path: string): Operation | undefined {
  if (method === 'POST') {
    if (path === '/apiweb/v3/open-game') return 'open-game';
    if (path === '/api/web/v2/app/reports/ad_hoc') return 'ad-hoc-report';
    if (/^\/api\/web\/v2\/app\/users\/[^/]+\/session$/.test(path)) return 'session';
  }
  if (method === 'GET' && path === '/api/web/v2/app/users/rake') return 'rake';
  return undefined;
}
