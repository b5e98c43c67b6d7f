import type { CommandData } from '#contracts';
import { type Operation, type OperatorCredentials, type Question, requestOf } from '#platform';
import { DEFAULT_SIGNATURE_SETTINGS, sign, type SignatureSettings } from '#signing';

import { EXIT, ExitError } from '../exit.ts';

/** Everything that can be found out; the rest of section 6 is for people to choose. Source: bus contract, section 6. */
export interface FoundSettings extends SignatureSettings {
  readonly rakeParametersIn: 'form' | 'query';
}

type ProbedOperator = Pick<OperatorCredentials, 'baseUrl' | 'apiUrl' | 'clientId'> & {
  readonly secretKey: string;
};

type Texts = Readonly<Record<string, string>>;

const REFUSED = 400;
const SUCCESS = 200;
/** A player with an `authType` that the platform refuses once it accepts the signature: no session is opened. */
const NOBODY = 'poker-bridge-probe';
/** In a list, so that it is signed first or last wherever its members are placed; and deep enough to be excluded. */
const STRINGS = { a: '["x"]', z: '"y"' };
const PLACEMENT = { z: '["x"]' };
const EXCLUDE = { z: '{"x":{"page":"7","y":"8"}}' };
const SCALARS = { z: '{"x":true}' };
const ALL = { a: '["x"]', y: '{"x":{"page":"7","y":true}}', z: '"y"' };

/**
 * Finds by at most twelve calls how a platform signs, and where it looks for the parameters of the rake: one setting
 * after the other, by a request that differs in this one alone.
 *
 * @param ask gives the status of the answer
 * @param period of the reports that are read; a short one
 * @throws ExitError with the reason, if nothing fits
 */
export async function findSettings(
  ask: (question: Question) => Promise<number>,
  operator: ProbedOperator,
  period: { readonly dateFrom: string; readonly dateTo: string },
): Promise<{ readonly settings: FoundSettings; readonly irrelevant: readonly string[] }> {
  let settings: FoundSettings = { ...DEFAULT_SIGNATURE_SETTINGS, rakeParametersIn: 'form' };
  const set = (change: Partial<FoundSettings>): void => void (settings = { ...settings, ...change });
  const accepts = async (question: Question): Promise<boolean> => (await ask(question)) !== REFUSED;
  const report = (extra: Texts, change: Partial<SignatureSettings> = {}, digest?: string) =>
    accepts(questionOf(operator, 'report.ad-hoc.fetch', period, { ...settings, ...change }, extra, digest));
  const game = (launchOptions: Record<string, unknown>, change: Partial<SignatureSettings> = {}) =>
    accepts(
      questionOf(
        operator,
        'game.open',
        { player: { id: NOBODY }, session: { authType: NOBODY as 'external', launchOptions } },
        { ...settings, ...change },
      ),
    );

  if (await report({}, {}, '0'.repeat(64))) {
    throw fault('the platform accepts a wrong signature: does PLATFORM_BASE_URL lead to the platform?');
  }
  if (!(await report({}))) {
    throw fault(
      'the platform refuses a request that all settings sign alike: check PLATFORM_CLIENT_ID and the secret key',
    );
  }
  if (!(await report(STRINGS))) {
    set({ jsonStrings: (await report(STRINGS, { jsonStrings: 'none' })) ? 'none' : 'all' });
  }
  /** The variables that make no difference, because others rule them out. */
  const irrelevant: string[] = [];
  const isDecoding = settings.jsonStrings !== 'none';
  if (!isDecoding) irrelevant.push('SIGNATURE_JSON_PLACEMENT');
  else if (!(await report(PLACEMENT))) set({ jsonPlacement: 'merge' });

  if (!(await game({}))) {
    if (await game({}, { openGameClient: 'drop' })) set({ openGameClient: 'drop' });
    else if (await game({}, { schemeV3: 'raw-body' })) set({ schemeV3: 'raw-body' });
    else throw fault('the platform accepts no known signature of open-game: check PLATFORM_API_URL');
  }
  const isRaw = settings.schemeV3 === 'raw-body';
  if (isRaw) irrelevant.push('SIGNATURE_OPEN_GAME_CLIENT');

  // Nested values are in JSON strings of the reports, or in the body of open-game.
  if (!isDecoding && isRaw) irrelevant.push('SIGNATURE_EXCLUDE', 'SIGNATURE_SCALARS');
  else {
    const isExcludedAtTop = isDecoding ? report(EXCLUDE) : game({ x: { page: '7', y: '8' } });
    if (!(await isExcludedAtTop)) set({ exclude: 'deep' });
    const isPhp = isDecoding ? report(SCALARS) : game({ x: true });
    if (!(await isPhp)) set({ scalars: 'json' });
  }

  const statuses: number[] = [];
  for (const rakeParametersIn of ['form', 'query'] as const) {
    set({ rakeParametersIn });
    const status = await ask(questionOf(operator, 'report.rake.fetch', period, settings, ALL));
    if (status === SUCCESS) return { settings, irrelevant };
    statuses.push(status);
  }
  throw fault(
    `the platform accepts each setting by itself, and not all together (it answered the rake with ${statuses.join(' and ')})`,
  );
}

function fault(reason: string): ExitError {
  return new ExitError(EXIT.failed, reason);
}

/** A request as a worker sends it, with further parameters, which the platform signs and does not know. */
function questionOf<T extends Operation>(
  { clientId, secretKey, ...roots }: ProbedOperator,
  type: T,
  data: CommandData[T],
  settings: FoundSettings,
  extra: Texts = {},
  digest?: string,
): Question {
  const sender = { clientId, settings: { ...settings, playerCountryMember: 'country' } };
  const pageRequest = { page: 1, perPage: 1 };
  const { root, method, path, body, parameters } = requestOf(type, data, pageRequest, sender);
  const more = new URLSearchParams(extra).toString();
  const joined = (text: string): string => (more === '' ? text : `${text}&${more}`);
  const text = body && joined(body.text);
  const signedBody = type === 'game.open' ? text : undefined;
  const signature = sign({ ...parameters, ...extra }, secretKey, settings, signedBody);
  return {
    root: roots[root],
    method,
    path: body ? path : joined(path),
    headers: { sign: digest ?? signature, ...(body && { 'content-type': body.contentType }) },
    body: text,
  };
}
