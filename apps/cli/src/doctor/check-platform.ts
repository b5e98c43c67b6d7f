import { type OperatorCredentials, type PlatformTransport, probePlatform } from '#platform';

import { checkOperations } from './check-operations.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

/** The `Date` of an answer has whole seconds; beyond this, deadlines that callers give as a time go wrong. */
const SKEW_ALLOWED_MS = 2_000;

/** The platform of one operator: its addresses, its clock, and each operation as a worker would call it. */
export async function checkOperator(
  credentials: OperatorCredentials,
  transport: PlatformTransport,
  nowMs = Date.now(),
): Promise<Finding[]> {
  const addresses = await checkAddresses(credentials, transport);
  const isReachable = addresses.every(({ state }) => state !== 'fail');
  return isReachable ? [...addresses, ...(await checkOperations(credentials, transport, nowMs))] : addresses;
}

async function checkAddresses(
  { name, baseUrl, apiUrl }: OperatorCredentials,
  transport: PlatformTransport,
): Promise<Finding[]> {
  // Its path may differ; what answers is the same.
  const roots = new Map([baseUrl, apiUrl].map((root) => [new URL(root).origin, root]));
  const found = [...roots].map(([origin, root]) =>
    checkAddress(`platform ${name}`, { origin, root, transport }),
  );
  return (await Promise.all(found)).flat();
}

async function checkAddress(
  subject: string,
  { origin, root, transport }: { origin: string; root: string; transport: PlatformTransport },
): Promise<Finding[]> {
  const probe = await probePlatform(root, transport);
  if (probe.kind === 'no-answer') {
    return [fail(subject, `${origin} cannot be reached (${probe.code})`, adviceOn(probe.code))];
  }
  const { status, clockSkewMs } = probe;
  const reached = ok(subject, `${origin} answers (${status})`);
  if (clockSkewMs === undefined || Math.abs(clockSkewMs) <= SKEW_ALLOWED_MS) return [reached];
  const seconds = Math.round(Math.abs(clockSkewMs) / 1_000);
  const message = `our clock is ${seconds} s ${clockSkewMs > 0 ? 'behind' : 'ahead of'} that of ${origin}`;
  return [reached, warn('clock', message, 'have the clock of this machine set (chrony, systemd-timesyncd)')];
}

function adviceOn(code: string): string {
  if (/ENOTFOUND|EAI_AGAIN/.test(code))
    return 'check the host name in PLATFORM_BASE_URL and PLATFORM_API_URL';
  if (/CERT|ALTNAME|SIGNATURE|ISSUER/.test(code)) {
    return 'the certificate is not trusted: check the host name, or name its authority in PLATFORM_TLS_CA';
  }
  if (/EPROTO|SSL|TLS/.test(code)) return 'no TLS is spoken there: check https and the port';
  return 'check host and port, the firewall, PLATFORM_PROXY_URL, and whether the platform knows our address';
}
