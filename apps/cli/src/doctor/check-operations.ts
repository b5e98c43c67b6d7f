import { CommandError } from '#contracts';
import {
  type CallContext,
  type Operation,
  OPERATIONS,
  type OperatorCredentials,
  PlatformClient,
  type PlatformLimits,
  type PlatformTransport,
} from '#platform';
import { Deadline } from '#resilience';

import { fail, type Finding, ok, warn } from './finding.ts';

const DEADLINE_MS = 10_000;
const ONE_CALL: PlatformLimits = {
  attemptTimeoutMs: DEADLINE_MS,
  maxAttempts: 1,
  // No operation may take more than the others leave.
  connections: 4 * OPERATIONS.length,
  queue: OPERATIONS.length,
  circuit: { failureRate: 100, minimumCalls: 1_000, windowMs: DEADLINE_MS, openMs: DEADLINE_MS },
};
const SECOND_MS = 1_000;
/** The platform's figures are complete after ten minutes. */
const AGO_MS = 3_600_000;
const FIRST_RECORD = { page: 1, perPage: 1 };

const NOBODY = 'poker-bridge-doctor';
/** By the interface document, each of them is refused with 422: nothing is created. */
const REFUSABLE = { authType: NOBODY as 'external', currency: NOBODY };
const REFUSALS: ReadonlySet<string> = new Set([
  'AUTH_TYPE_INVALID',
  'CURRENCY_REQUIRED',
  'CURRENCY_NOT_FOUND',
  'CURRENCY_INACTIVE',
  'INCORRECT_DATA',
]);

type Answers = ReadonlyMap<Operation, CommandError | 'success'>;

/**
 * Calls each operation once, signed and sent as a worker does: both reports for one second, and a session and a game for nobody,
 * with an `authType` and a currency that the platform has to refuse.
 */
export async function checkOperations(
  credentials: OperatorCredentials,
  transport: PlatformTransport,
  nowMs: number,
): Promise<Finding[]> {
  const hasKey = credentials.secretKey !== undefined;
  const client = new PlatformClient(credentials, { limits: ONE_CALL, transport });
  try {
    const asked = OPERATIONS.filter((operation) => hasKey || operation === 'game.open');
    const calls = asked.map(async (operation) => [operation, await call(client, operation, nowMs)] as const);
    const answers: Answers = new Map(await Promise.all(calls));
    const advice = 'set PLATFORM_SECRET_KEY, or secretKey in OPERATORS_FILE, if that is not meant';
    const withoutKey = 'no secret key: games are opened unsigned, and nothing else works';
    return [
      ...(hasKey ? [] : [warn(`signature ${credentials.name}`, withoutKey, advice)]),
      ...[...answers.keys()].map((operation) => findingOf(operation, answers, credentials)),
    ];
  } finally {
    await client.close();
  }
}

async function call(
  client: PlatformClient,
  operation: Operation,
  nowMs: number,
): Promise<CommandError | 'success'> {
  const context = { deadline: new Deadline(nowMs + DEADLINE_MS, nowMs), attempts: 0 };
  const period = { dateFrom: dateOf(nowMs - AGO_MS - SECOND_MS), dateTo: dateOf(nowMs - AGO_MS) };
  const calls: Readonly<Record<Operation, (context: CallContext) => Promise<unknown>>> = {
    'session.create': (with_) => client.createSession({ userId: NOBODY, ...REFUSABLE }, with_),
    'game.open': (with_) => {
      const { authType, currency } = REFUSABLE;
      return client.openGame({ player: { id: NOBODY, currency }, session: { authType } }, with_);
    },
    'report.ad-hoc.fetch': (with_) => client.fetchAdHocReport(period, FIRST_RECORD, with_),
    'report.rake.fetch': (with_) => client.fetchRake(period, FIRST_RECORD, with_),
  };
  try {
    await calls[operation](context);
    return 'success';
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return error;
  }
}

function findingOf(operation: Operation, answers: Answers, credentials: OperatorCredentials): Finding {
  const subject = `platform ${credentials.name}`;
  const answer = answers.get(operation) ?? 'success';
  const isRead = operation.startsWith('report.');
  if (answer === 'success') {
    if (isRead) return ok(subject, `${operation} for one second is answered`);
    const message = `${operation} for ${NOBODY} succeeded, with an authType that does not exist: it is there now`;
    return warn(
      subject,
      message,
      'ask the manager of the platform, which does not follow its interface document',
    );
  }
  const { code, message, platform, details } = answer;
  const status = platform ? ` (${platform.status})` : '';
  const isRefusal = REFUSALS.has(code) || (code === 'PLAYER_NOT_FOUND' && isBaseUrlRight(answers));
  if (!isRead && isRefusal) {
    return ok(
      subject,
      `${operation} for ${NOBODY}, with an authType that does not exist, is refused${status}`,
    );
  }
  const advice = adviceOn(operation, answers, credentials);
  if (isSignature(answer)) return fail(subject, `${operation}: its signature is refused${status}`, advice);
  const reason = typeof details?.['reason'] === 'string' ? ` (${details['reason']})` : '';
  return fail(subject, `${operation}: ${code}${status}: ${message}${reason}`, advice);
}

function adviceOn(operation: Operation, answers: Answers, { settings }: OperatorCredentials): string {
  const answer = answers.get(operation) as CommandError;
  const { code } = answer;
  const isGame = operation === 'game.open';
  const isRake = operation === 'report.rake.fetch';
  const otherPlace = `RAKE_PARAMETERS_IN=${settings.rakeParametersIn === 'form' ? 'query' : 'form'}`;
  if (isSignature(answer)) {
    if (isGame && isBaseUrlRight(answers)) {
      return 'set SIGNATURE_OPEN_GAME_CLIENT or SIGNATURE_SCHEME_V3: poker-bridge sign probe finds which';
    }
    if (isRake && answers.get('report.ad-hoc.fetch') === 'success') return `set ${otherPlace}`;
    return 'check the secret key, then the SIGNATURE_ settings: poker-bridge sign probe finds them, sign explain shows what is signed';
  }
  if (isRake && (code === 'INCORRECT_DATA' || code === 'BAD_REQUEST')) {
    return `the platform does not find its parameters: set ${otherPlace}`;
  }
  if (isGame && WRONG_PATH.has(code)) {
    return 'check the path of PLATFORM_API_URL: /apiweb/v3/open-game is added to it';
  }
  if (WRONG_PATH.has(code))
    return 'check the path of PLATFORM_BASE_URL; it mostly ends with one, such as /api/web';
  return ADVICE_ON_CODE[code] ?? 'see docs/errors.md';
}

const WRONG_PATH: ReadonlySet<string> = new Set([
  'NOT_FOUND',
  'PLAYER_NOT_FOUND',
  'BAD_REQUEST',
  'PLATFORM_PROTOCOL_ERROR',
]);
const ADVICE_ON_CODE: Readonly<Record<string, string>> = {
  FORBIDDEN: 'check PLATFORM_CLIENT_ID and its rights, and whether the platform knows our address',
  UNEXPECTED_REDIRECT: 'set the address that it leads to, most likely https',
  PLATFORM_UNAVAILABLE: 'ask again; the platform is there and does not answer this',
  OUTCOME_UNKNOWN: 'ask again; the platform is there and does not answer this',
};

/** A read of the same root was answered. */
function isBaseUrlRight(answers: Answers): boolean {
  return answers.get('report.ad-hoc.fetch') === 'success' || answers.get('report.rake.fetch') === 'success';
}

function isSignature({ code, details }: CommandError): boolean {
  return code === 'SIGNATURE_REJECTED' || details?.['hint'] === 'signature';
}

/** `YYYY-MM-DD HH:MM:SS`, as the interface wants it. */
function dateOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 19).replace('T', ' ');
}
