import { type OperatorCredentials, type PlatformTransport, probePlatform } from '#platform';

import { checkOperations } from './check-operations.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

/** The `Date` of an answer has whole seconds; beyond this, deadlines that callers give as a time go wrong. */
const SKEW_ALLOWED_MS = 2_000;
const OTHER_FAULT =
  'check host and port, the firewall, PLATFORM_PROXY_URL, and whether the platform knows our address';
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/ENOTFOUND|EAI_AGAIN/, 'check the host name in PLATFORM_BASE_URL and PLATFORM_API_URL'],
  [
    /CERT|ALTNAME|SIGNATURE|ISSUER/,
    'the certificate is not trusted: check the host name, or name its authority in PLATFORM_TLS_CA',
  ],
  [/EPROTO|SSL|TLS/, 'no TLS is spoken there: check https and the port'],
];

/** The platform of one operator: its addresses, its clock, and each operation as a worker would call it. */
export async function checkOperator(
  credentials: OperatorCredentials,
  transport: PlatformTransport,
): Promise<Finding[]> {
  const { name, baseUrl, apiUrl } = credentials;
  // The paths of both may differ; what answers is the same.
  const roots = new Map([baseUrl, apiUrl].map((root) => [new URL(root).origin, root]));
  const asked = [...roots].map(([origin, root]) => checkAddress(`platform ${name}`, origin, root, transport));
  const addresses = (await Promise.all(asked)).flat();
  if (addresses.some(({ state }) => state === 'fail')) return addresses;
  return [...addresses, ...(await checkOperations(credentials, transport, Date.now()))];
}

async function checkAddress(
  subject: string,
  origin: string,
  root: string,
  transport: PlatformTransport,
): Promise<Finding[]> {
  const probe = await probePlatform(root, transport);
  if (probe.kind === 'no-answer') {
    const { code } = probe;
    const [, advice = OTHER_FAULT] = ADVICE.find(([pattern]) => pattern.test(code)) ?? [];
    return [fail(subject, `${origin} cannot be reached (${code})`, advice)];
  }
  const { status, clockSkewMs = 0 } = probe;
  const reached = ok(subject, `${origin} answers (${status})`);
  if (Math.abs(clockSkewMs) <= SKEW_ALLOWED_MS) return [reached];
  const seconds = Math.round(Math.abs(clockSkewMs) / 1_000);
  const message = `our clock is ${seconds} s ${clockSkewMs > 0 ? 'behind' : 'ahead of'} that of ${origin}`;
  return [reached, warn('clock', message, 'have the clock of this machine set (chrony, systemd-timesyncd)')];
}
