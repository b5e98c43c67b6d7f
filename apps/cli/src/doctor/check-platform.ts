import { CommandError } from '#contracts';
import {
  type OperatorCredentials,
  PlatformClient,
  type PlatformLimits,
  type PlatformTransport,
  probePlatform,
} from '#platform';
import { Deadline } from '#resilience';

import { fail, type Finding, ok, warn } from './finding.ts';

const DEADLINE_MS = 10_000;
/** The `Date` of an answer has whole seconds; beyond this, deadlines that callers give as a time go wrong. */
const SKEW_ALLOWED_MS = 2_000;
const ONE_CALL: PlatformLimits = {
  attemptTimeoutMs: DEADLINE_MS,
  maxAttempts: 1,
  connections: 1,
  queue: 0,
  circuit: { failureRate: 100, minimumCalls: 1_000, windowMs: DEADLINE_MS, openMs: DEADLINE_MS },
};
const MINUTE_MS = 60_000;
/** The platform's own figures are complete after ten minutes. */
const AGO_MS = 60 * MINUTE_MS;

/** The platform of one operator: its addresses, its clock, and whether it accepts the operator's signature. */
export async function checkOperator(
  credentials: OperatorCredentials,
  transport: PlatformTransport,
  nowMs = Date.now(),
): Promise<Finding[]> {
  const addresses = await checkAddresses(credentials, transport);
  const isReachable = addresses.every(({ state }) => state !== 'fail');
  return isReachable ? [...addresses, await checkSignature(credentials, transport, nowMs)] : addresses;
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

/** By one read that changes nothing. */
async function checkSignature(
  credentials: OperatorCredentials,
  transport: PlatformTransport,
  nowMs: number,
): Promise<Finding> {
  const subject = `signature ${credentials.name}`;
  if (credentials.secretKey === undefined) {
    const advice = 'set PLATFORM_SECRET_KEY, or secretKey in OPERATORS_FILE, if that is not meant';
    return warn(subject, 'no secret key: games are opened unsigned, and nothing else works', advice);
  }
  const client = new PlatformClient(credentials, { limits: ONE_CALL, transport });
  try {
    const period = { dateFrom: dateOf(nowMs - AGO_MS - MINUTE_MS), dateTo: dateOf(nowMs - AGO_MS) };
    const call = { deadline: new Deadline(nowMs + DEADLINE_MS, nowMs), attempts: 0 };
    await client.fetchAdHocReport(period, { page: 1, perPage: 1 }, call);
    return ok(subject, 'the platform accepts it');
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return refused(subject, error);
  } finally {
    await client.close();
  }
}

function refused(subject: string, { code, message, platform, details }: CommandError): Finding {
  const status = platform ? ` (${platform.status})` : '';
  if (code === 'SIGNATURE_REJECTED' || details?.['hint'] === 'signature') {
    const advice =
      'check the secret key, then the SIGNATURE_ settings: poker-bridge sign probe finds them, sign explain shows what is signed';
    return fail(subject, `the platform refuses it${status}`, advice);
  }
  const advice = ADVICE_ON_CODE[code] ?? 'see docs/errors.md';
  return fail(subject, `${code}${status}: ${message}`, advice);
}

const ADVICE_ON_CODE: Readonly<Record<string, string>> = {
  FORBIDDEN: 'check PLATFORM_CLIENT_ID and its rights, and whether the platform knows our address',
  NOT_FOUND: 'check the path of PLATFORM_BASE_URL; it mostly ends with one, such as /api/web',
  UNEXPECTED_REDIRECT: 'set the address that it leads to, most likely https',
  PLATFORM_UNAVAILABLE: 'ask again; the platform is there and does not answer this read',
};

/** `YYYY-MM-DD HH:MM:SS`, as the interface wants it. */
function dateOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 19).replace('T', ' ');
}
