import type { CommandData, CommandError } from '#contracts';
import {
  askOnce,
  faultCodeOf,
  type Operation,
  OPERATIONS,
  type OperatorCredentials,
  PlatformClient,
  type PlatformLimits,
  type PlatformTransport,
} from '#platform';
import { Deadline } from '#resilience';

import { periodAnHourAgo } from '../report/period.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

/** The `Date` of an answer has whole seconds; beyond this, deadlines that callers give as a time go wrong. */
const SKEW_ALLOWED_MS = 2_000;
const OTHER_FAULT =
  'check host and port, the firewall, PLATFORM_PROXY_URL, and whether the platform knows our address';
const ADVICE_ON_ADDRESS: readonly (readonly [RegExp, string])[] = [
  [/ENOTFOUND|EAI_AGAIN/, 'check the host name in PLATFORM_BASE_URL and PLATFORM_API_URL'],
  [
    /CERT|ALTNAME|SIGNATURE|ISSUER/,
    'the certificate is not trusted: check the host name, or name its authority in PLATFORM_TLS_CA',
  ],
  [/EPROTO|SSL|TLS/, 'no TLS is spoken there: check https and the port'],
];

const DEADLINE_MS = 10_000;
const ONE_CALL: PlatformLimits = {
  attemptTimeoutMs: DEADLINE_MS,
  maxAttempts: 1,
  // No operation may take more than the others leave.
  connections: 4 * OPERATIONS.length,
  queue: OPERATIONS.length,
  circuit: { failureRate: 100, minimumCalls: 1_000, windowMs: DEADLINE_MS, openMs: DEADLINE_MS },
};
const FIRST_RECORD = { page: 1, perPage: 1 };

const NOBODY = 'poker-bridge-doctor';
/** By the interface document, it is refused with 422, like a currency of that name: nothing is created. */
const authType = NOBODY as 'external';
/** Each SIGNATURE_ setting signs these otherwise: strings of JSON at both ends, a name that is excluded, a boolean. */
const launchOptions = { a: '["x"]', y: { page: '7', z: true }, z: '"y"' };
const WRONG_PATH = /NOT_FOUND$|^BAD_REQUEST$|^PLATFORM_PROTOCOL_ERROR$/;
const NOT_REFUSED = 'ask the manager of the platform, which does not follow its interface document';
const GAME_PATH = 'check the path of PLATFORM_API_URL: /apiweb/v3/open-game is added to it';
const PATH = 'check the path of PLATFORM_BASE_URL; it mostly ends with one, such as /api/web';
const NO_ANSWER = 'ask again; the platform is there and does not answer this';
const ADVICE_ON_CODE: Readonly<Record<string, string>> = {
  FORBIDDEN: 'check PLATFORM_CLIENT_ID and its rights, and whether the platform knows our address',
  UNEXPECTED_REDIRECT: 'set the address that it leads to, most likely https',
  PLATFORM_UNAVAILABLE: NO_ANSWER,
  OUTCOME_UNKNOWN: NO_ANSWER,
};

type Answer = CommandError | 'success';

/** The platform of one operator: its addresses, its clock, and each operation as a worker would call it. */
export async function checkOperator(credentials: OperatorCredentials, transport: PlatformTransport) {
  const { name, baseUrl, apiUrl } = credentials;
  // The paths of both may differ; what answers is the same.
  const roots = new Map([baseUrl, apiUrl].map((root) => [new URL(root).origin, root])).values();
  const asked = [...roots].map((root) => checkAddress(`platform ${name}`, root, transport));
  const addresses = (await Promise.all(asked)).flat();
  if (addresses.some(({ state }) => state === 'fail')) return addresses;
  return [...addresses, ...(await checkOperations(credentials, transport))];
}

async function checkAddress(subject: string, root: string, transport: PlatformTransport): Promise<Finding[]> {
  const { origin } = new URL(root);
  const answer = await askOnce({ url: root, method: 'GET' }, transport).catch(faultCodeOf);
  if (typeof answer === 'string') {
    const [, advice = OTHER_FAULT] = ADVICE_ON_ADDRESS.find(([pattern]) => pattern.test(answer)) ?? [];
    return [fail(subject, `${origin} cannot be reached (${answer})`, advice)];
  }
  const { status, clockSkewMs } = answer;
  const reached = ok(subject, `${origin} answers (${status})`);
  if (Math.abs(clockSkewMs) <= SKEW_ALLOWED_MS) return [reached];
  const seconds = Math.round(Math.abs(clockSkewMs) / 1_000);
  const message = `our clock is ${seconds} s ${clockSkewMs > 0 ? 'behind' : 'ahead of'} that of ${origin}`;
  return [reached, warn('clock', message, 'have the clock of this machine set (chrony, systemd-timesyncd)')];
}

/** Calls each operation once, as a worker does: the reports for one second, a session and a game for nobody. */
async function checkOperations(credentials: OperatorCredentials, transport: PlatformTransport) {
  const { name, secretKey } = credentials;
  const client = new PlatformClient(credentials, { limits: ONE_CALL, transport });
  const period = periodAnHourAgo(1_000);
  const questions = {
    'session.create': { userId: NOBODY, authType, currency: NOBODY },
    'game.open': { player: { id: NOBODY, currency: NOBODY }, session: { authType, launchOptions } },
    'report.ad-hoc.fetch': period,
    'report.rake.fetch': period,
  } satisfies { readonly [O in Operation]?: CommandData[O] };
  const ask = async (operation: keyof typeof questions): Promise<[Operation, Answer]> => {
    const call = { deadline: new Deadline(Date.now() + DEADLINE_MS, Date.now()), attempts: 0 };
    const answered = client.call(operation, questions[operation], call, FIRST_RECORD);
    const answer = answered.then(() => 'success' as const);
    return [operation, await answer.catch((error: unknown) => error as CommandError)];
  };
  try {
    const all = Object.keys(questions) as (keyof typeof questions)[];
    const asked = secretKey === undefined ? (['game.open'] as const) : all;
    const answers = new Map(await Promise.all(asked.map(ask)));
    const findings = Array.from(answers, (answered) => findingOf(answered, answers, credentials));
    if (secretKey !== undefined) return findings;
    const without = 'no secret key: games are opened unsigned, and nothing else works';
    const advice = 'set PLATFORM_SECRET_KEY, or secretKey in OPERATORS_FILE, unless that is intended';
    return [warn(`signature ${name}`, without, advice), ...findings];
  } finally {
    await client.close();
  }
}

function findingOf(
  [operation, answer]: readonly [Operation, Answer],
  answers: ReadonlyMap<Operation, Answer>,
  { name, settings }: OperatorCredentials,
): Finding {
  const subject = `platform ${name}`;
  const [isGame, isRake] = [operation === 'game.open', operation === 'report.rake.fetch'];
  const isRead = operation.startsWith('report.');
  const what = `${operation} for ${NOBODY}`;
  if (answer === 'success') {
    if (isRead) return ok(subject, `${operation} for one second is answered`);
    const created = `${what} succeeded, although its authType does not exist: it was created`;
    return warn(subject, created, NOT_REFUSED);
  }
  const { code, message, platform, details } = answer;
  const status = platform ? ` (${platform.status})` : '';
  const isAdHocRight = answers.get('report.ad-hoc.fetch') === 'success';
  const isBaseUrlRight = isAdHocRight || answers.get('report.rake.fetch') === 'success';
  const isRefusal = platform?.status === 422 || (code === 'PLAYER_NOT_FOUND' && isBaseUrlRight);
  if (!isRead && isRefusal) {
    return ok(subject, `${what}, with an authType that does not exist, is refused${status}`);
  }
  const otherPlace = `set RAKE_PARAMETERS_IN=${settings.rakeParametersIn === 'form' ? 'query' : 'form'}`;
  if (code === 'SIGNATURE_REJECTED' || details?.['hint'] === 'signature') {
    const probe = `poker-bridge sign probe${name === 'default' ? '' : ` --operator ${name}`}`;
    let advice = `check PLATFORM_CLIENT_ID and the secret key, then the SIGNATURE_ settings: ${probe} finds them, sign explain shows what is signed`;
    if (isRake && isAdHocRight) advice = otherPlace;
    else if (isGame && isBaseUrlRight)
      advice = `a SIGNATURE_ setting is not that of the platform: ${probe} prints the lines to set`;
    return fail(subject, `${operation}: its signature is refused${status}`, advice);
  }
  let advice = ADVICE_ON_CODE[code] ?? 'see docs/errors.md';
  if (WRONG_PATH.test(code)) advice = isGame ? GAME_PATH : PATH;
  if (isRake && /^(INCORRECT_DATA|BAD_REQUEST)$/.test(code))
    advice = `the platform does not find its parameters: ${otherPlace}`;
  const reason = typeof details?.['reason'] === 'string' ? ` (${details['reason']})` : '';
  return fail(subject, `${operation}: ${code}${status}: ${message}${reason}`, advice);
}
