import { type CommandError, platformSays } from '#contracts';
import {
  askOnce,
  DEFINITIONS,
  faultCodeOf,
  NOBODY,
  type Operation,
  OPERATIONS,
  type OperatorCredentials,
  type PlatformTransport,
} from '#platform';

import { periodAnHourAgo } from '../report/period.ts';
import { findSettings, findUnsigned } from '../sign/find-settings.ts';
import { changeNeededBy, type Probing } from '../sign/probing.ts';
import { askOf, changesOf, strangeHostOf } from '../sign/sign-probe.ts';
import { type CallResult, callAsWorker, isSignatureRefused, isTaken, isVague } from '../worker-calls.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

/**
 * The `Date` header has whole seconds. With a larger skew, deadlines that callers give as a time are wrong.
 */
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

const ADVICE_ON_SIGNATURE =
  'check PLATFORM_CLIENT_ID and the secret key, then the settings that begin with SIGNATURE_';
const WRONG_PATH = /NOT_FOUND$|^BAD_REQUEST$|^PLATFORM_PROTOCOL_ERROR$/;
const NOT_REFUSED = 'ask the manager of the platform, which does not follow its interface document';
const GAME_PATH = 'check the path of PLATFORM_API_URL: /apiweb/v3/open-game is added to it';
const PATH = 'check the path of PLATFORM_BASE_URL; it mostly ends with one, such as /api/web';
const NO_ANSWER = 'tell the people who run the platform; workers continue by themselves once it answers';
const ADVICE_ON_CODE: Readonly<Record<string, string>> = {
  FORBIDDEN: 'check PLATFORM_CLIENT_ID and its rights, and whether the platform knows our address',
  UNEXPECTED_REDIRECT: 'set the address that it leads to, most likely https',
  PLATFORM_UNAVAILABLE: NO_ANSWER,
  OUTCOME_UNKNOWN: NO_ANSWER,
  COMMAND_EXPIRED: NO_ANSWER,
};

/** Checks one operator's platform: addresses, clock, and each operation as a worker would call it. */
export async function checkOperator(credentials: OperatorCredentials, transport: PlatformTransport) {
  const { name, baseUrl, apiUrl } = credentials;
  // The paths of both URLs may differ, but the same server answers.
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

/**
 * Calls each operation that can be called without a change, once, as a worker does: a report for one second,
 * for example.
 */
async function checkOperations(credentials: OperatorCredentials, transport: PlatformTransport) {
  const { name, secretKey } = credentials;
  const period = periodAnHourAgo(1_000);
  const tookMs = new Map<Operation, number>();
  const ask = async (operation: Operation): Promise<readonly (readonly [Operation, CallResult])[]> => {
    const data = DEFINITIONS[operation].harmless(period);
    if (!data) return [];
    const startedMs = performance.now();
    const answer = await callAsWorker(operation, data, credentials, transport);
    tookMs.set(operation, performance.now() - startedMs);
    return [[operation, answer]];
  };
  const asked = secretKey === undefined ? (['game.open'] as const) : OPERATIONS;
  const answers = new Map((await Promise.all(asked.map(ask))).flat());
  const found = secretKey === undefined ? undefined : await settingsFor(answers, credentials, transport);
  const findings = Array.from(answers, ([operation, answer]) =>
    findingOf([operation, answer, tookMs.get(operation)], answers, credentials, found),
  );
  if (secretKey !== undefined) return findings;
  const without = 'no secret key: games are opened unsigned, and nothing else works';
  const advice = 'set PLATFORM_SECRET_KEY, or secretKey in OPERATORS_FILE, unless that is intended';
  return [warn(`signature ${name}`, without, advice), ...findings];
}

/**
 * Finds the settings with which the platform would accept rejected requests, as `sign probe` does. A platform
 * on another machine may count wrong signatures; there, only settings that do not change a signature are
 * looked for.
 *
 * @returns undefined if no setting can help, or none is looked for
 */
async function settingsFor(
  answers: ReadonlyMap<Operation, CallResult>,
  credentials: OperatorCredentials,
  transport: PlatformTransport,
): Promise<Probing | undefined> {
  const [game, rake] = [answers.get('game.open'), answers.get('report.rake.fetch')];
  const isRakeAlone =
    rake !== undefined && isAnswered(rake) && answers.get('report.ad-hoc.fetch') === 'success';
  const isGameInDoubt =
    game !== undefined &&
    isAnswered(game) &&
    credentials.settings.sessionId === 'derive' &&
    (isVague(game) || !isTaken(game)) &&
    game.code !== 'FORBIDDEN' &&
    !isSignatureRefused(game);
  const isLocal = strangeHostOf(credentials) === undefined;
  const isRefused = [...answers.values()].some(isSignatureRefused);
  const ask = askOf(transport);
  if (isLocal && isRefused) return findSettings(ask, credentials);
  const inDoubt = new Set<Operation>([
    ...(isRakeAlone ? (['report.rake.fetch'] as const) : []),
    ...(isGameInDoubt ? (['game.open'] as const) : []),
  ]);
  return inDoubt.size > 0 ? findUnsigned(ask, credentials, inDoubt) : undefined;
}

function isAnswered(answer: CallResult): answer is CommandError {
  return answer !== 'success' && answer.platform !== undefined && answer.platform.status < 500;
}

function findingOf(
  [operation, answer, tookMs]: readonly [Operation, CallResult, tookMs: number | undefined],
  answers: ReadonlyMap<Operation, CallResult>,
  credentials: OperatorCredentials,
  found: Probing | undefined,
): Finding {
  const { name } = credentials;
  const subject = `platform ${name}`;
  const [isGame, isRake] = [operation === 'game.open', operation === 'report.rake.fetch'];
  const { isRead } = DEFINITIONS[operation];
  const what = `${operation} for ${NOBODY}`;
  if (answer === 'success') {
    if (isRead) return ok(subject, `${operation} for one second is answered`);
    const created = `${what} succeeded, although its authType does not exist: it was created`;
    return warn(subject, created, NOT_REFUSED);
  }
  const { code, message, platform, details } = answer;
  const status = platform ? ` (${platform.status})` : '';
  const isBaseUrlRight = ['report.ad-hoc.fetch', 'report.rake.fetch'].some(
    (report) => answers.get(report as Operation) === 'success',
  );
  const isOfNobody = code === 'PLAYER_NOT_FOUND' ? isBaseUrlRight : platform?.status === 422;
  const needed = changeNeededBy(answer, credentials.settings);
  const settings = { ...(found ?? credentials).settings, ...needed };
  const lines = changesOf({ settings }, credentials).filter(
    (line) =>
      line.startsWith('REPORT_') ||
      (line.startsWith('RAKE_') === isRake && (isGame || !line.startsWith('SESSION_ID='))),
  );
  const isIdRefused = lines.some((line) => line.startsWith('SESSION_ID='));
  if (!isRead && isOfNobody && isTaken(answer) && !isIdRefused) {
    return ok(subject, `${what}, with an authType that does not exist, is refused${status}`);
  }
  const set = lines.length > 0 ? `set ${lines.join(' ')}` : undefined;
  if (isSignatureRefused(answer)) {
    const refused = `${operation}: its signature is refused${status}`;
    if (isGame && found && !set && found.problems.length === 0 && found.notes.length > 0)
      return warn(
        subject,
        `${refused} with launch options that hold strings of JSON`,
        found.notes.join('; '),
      );
    const unknown = found?.problems.join('; ') || `${ADVICE_ON_SIGNATURE}: ${probeOf(name)} finds them`;
    return fail(subject, refused, set ?? unknown);
  }
  let advice = ADVICE_ON_CODE[code] ?? 'see docs/errors.md';
  if (WRONG_PATH.test(code)) advice = isGame ? GAME_PATH : PATH;
  if (isRake && found && /^(INCORRECT_DATA|BAD_REQUEST|FORBIDDEN)$/.test(code))
    advice = found.problems.join('; ');
  const { reason, unansweredMs } = details ?? {};
  if (advice === NO_ANSWER) {
    const cause = platform ? `HTTP ${platform.status}` : String(reason);
    const says = platformSays(cause, typeof unansweredMs === 'number' ? unansweredMs : tookMs);
    return fail(subject, `${operation}: ${code}: ${says}`, advice);
  }
  const why = typeof reason === 'string' ? ` (${reason})` : '';
  return fail(subject, `${operation}: ${code}${status}: ${message}${why}`, set ?? advice);
}

function probeOf(operator: string): string {
  return `poker-bridge sign probe --yes${operator === 'default' ? '' : ` --operator ${operator}`}`;
}
