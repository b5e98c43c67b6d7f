import type { CommandData } from '#contracts';
import {
  askOnce,
  faultCodeOf,
  type Operation,
  type OperatorCredentials,
  type Question,
  requestOf,
} from '#platform';
import { isLoopback, readSettings } from '#settings';
import { DEFAULT_SIGNATURE_SETTINGS, sign, SIGNATURE_VARIABLES, type SignatureSettings } from '#signing';

import { EXIT, ExitError, usageError } from '../exit.ts';
import type { Options } from '../input.ts';
import { type Period, periodAnHourAgo } from '../report/period.ts';
import { operatorNamed, transportOf } from '../servers.ts';

type ProbeOptions = Options<never, 'yes' | 'json'> & { readonly operator: string };

/** Everything that can be found out; the rest of section 6 is for people to choose. Source: bus contract, section 6. */
export type FoundSettings = SignatureSettings & Pick<OperatorCredentials['settings'], 'rakeParametersIn'>;

type ProbedOperator = Pick<OperatorCredentials, 'baseUrl' | 'apiUrl' | 'clientId'> & {
  readonly secretKey: string;
};

type Texts = Readonly<Record<string, string>>;

const MINUTE_MS = 60_000;
/** A member that the platform does not know may be ignored, and its answers never repeat the player. */
const NOT_FOUND = [
  '# PLAYER_COUNTRY_MEMBER: no answer tells the name under which it takes the country (default: country);',
  '# ask the service operator, or open a game with player.country and look at the player there',
];
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

/** @throws ExitError if a setting cannot be used, the address is not local and nobody said yes, or there is no answer */
export async function signProbe({ operator: name, yes, json }: ProbeOptions): Promise<void> {
  const settings = readSettings(process.env);
  const operator = operatorNamed(name, settings);
  const transport = transportOf(settings, [operator]);
  const { baseUrl, apiUrl, secretKey } = operator;
  if (secretKey === undefined) {
    throw new ExitError(EXIT.settings, `${name} has no secret key: there is no signature to try`);
  }
  const strange = [baseUrl, apiUrl].map((root) => new URL(root).hostname).find((host) => !isLoopback(host));
  if (strange !== undefined && !yes) {
    throw usageError(
      `${strange} is not this machine: up to twelve calls, most with a wrong signature, go there; give --yes if it is a test environment`,
    );
  }
  let calls = 0;
  const ask = async (question: Question): Promise<number> => {
    calls += 1;
    try {
      return (await askOnce(question, transport)).status;
    } catch (error) {
      const why = `${new URL(question.root).origin} does not answer (${faultCodeOf(error)})`;
      throw new ExitError(EXIT.noAnswer, `${why}; nothing was found`);
    }
  };
  const probed = { ...operator, secretKey };
  const { settings: found, irrelevant } = await findSettings(ask, probed, periodAnHourAgo(MINUTE_MS));
  const values = [
    ...Object.entries(SIGNATURE_VARIABLES).map(
      ([variable, { member }]) => [variable, found[member]] as const,
    ),
    ['RAKE_PARAMETERS_IN', found.rakeParametersIn] as const,
  ];
  const lines = values.map(([variable, value]) =>
    irrelevant.includes(variable) ? `# ${variable}: makes no difference there` : `${variable}=${value}`,
  );
  const text = [`# found by ${calls} calls`, ...lines, ...NOT_FOUND].join('\n');
  process.stdout.write(`${json ? JSON.stringify(Object.fromEntries(values)) : text}\n`);
}

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
  period: Period,
): Promise<{ readonly settings: FoundSettings; readonly irrelevant: readonly string[] }> {
  let settings: FoundSettings = { ...DEFAULT_SIGNATURE_SETTINGS, rakeParametersIn: 'form' };
  const set = (change: Partial<FoundSettings>): void => void (settings = { ...settings, ...change });
  const accepts = async (question: Question): Promise<boolean> => (await ask(question)) !== REFUSED;
  const report = (extra: Texts, change: Partial<SignatureSettings> = {}, digest?: string) =>
    accepts(questionOf(operator, 'report.ad-hoc.fetch', period, { ...settings, ...change }, extra, digest));
  const game = (launchOptions: Record<string, unknown>, change: Partial<SignatureSettings> = {}) => {
    const session = { authType: NOBODY as 'external', launchOptions };
    const data = { player: { id: NOBODY }, session };
    return accepts(questionOf(operator, 'game.open', data, { ...settings, ...change }));
  };

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
  const { root, method, path, body, parameters } = requestOf(type, data, sender, pageRequest);
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
