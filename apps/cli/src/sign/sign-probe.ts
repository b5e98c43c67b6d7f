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
import {
  DEFAULT_SIGNATURE_SETTINGS,
  EVERY_SIGNATURE_SETTING,
  sign,
  SIGNATURE_VARIABLES,
  type SignatureSettings,
} from '#signing';

import { EXIT, ExitError, usageError } from '../exit.ts';
import type { Options } from '../input.ts';
import { type Period, periodAnHourAgo } from '../report/period.ts';
import { operatorNamed, transportOf } from '../servers.ts';

type ProbeOptions = Options<never, 'yes' | 'json'> & { readonly operator: string };

/** Everything that can be found out; the rest of section 6 is for people to choose. Source: bus contract, section 6. */
export type FoundSettings = SignatureSettings & Pick<OperatorCredentials['settings'], 'rakeParametersIn'>;

type Texts = Readonly<Record<string, string>>;
type ProbedOperator = Readonly<Record<'baseUrl' | 'apiUrl' | 'clientId' | 'secretKey', string>>;

const MINUTE_MS = 60_000;
const FOUND = { ...SIGNATURE_VARIABLES, RAKE_PARAMETERS_IN: { member: 'rakeParametersIn' } as const };
/** A member that the platform does not know may be ignored, and its answers never repeat the player. */
const NOT_FOUND = [
  '# PLAYER_COUNTRY_MEMBER: no answer tells the name under which it takes the country (default: country);',
  '# ask the service operator, or open a game with player.country and look at the player there',
];
const REFUSED = 400;
const SUCCESS = 200;
/** A player with an `authType` that the platform refuses once it accepts the signature: no session is opened. */
const NOBODY = 'poker-bridge-probe';
const ALL_AT_ONCE = { a: '["x"]', y: '{"x":{"page":"7","y":true}}', z: '"y"' };

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
      const why = `${new URL(question.url).origin} does not answer (${faultCodeOf(error)})`;
      throw new ExitError(EXIT.noAnswer, `${why}; nothing was found`);
    }
  };
  const probed = { ...operator, secretKey };
  const { settings: found, irrelevant } = await findSettings(ask, probed, periodAnHourAgo(MINUTE_MS));
  const values = Object.entries(FOUND).map(([variable, { member }]) => [variable, found[member]] as const);
  const lines = values.map(([variable, value]) =>
    irrelevant.includes(variable) ? `# ${variable}: makes no difference there` : `${variable}=${value}`,
  );
  const text = [`# found by ${calls} calls`, ...lines, ...NOT_FOUND].join('\n');
  process.stdout.write(`${json ? JSON.stringify(Object.fromEntries(values)) : text}\n`);
}

/**
 * Finds by at most twelve calls how a platform signs, and where it looks for the parameters of the rake: each probe
 * leaves the settings that give the signature which the platform accepts. @throws ExitError if nothing fits
 *
 * @returns `irrelevant`: the variables that make no difference, because others rule them out
 */
export async function findSettings(
  ask: (question: Question) => Promise<number>,
  operator: ProbedOperator,
  period: Period,
): Promise<{ readonly settings: FoundSettings; readonly irrelevant: readonly string[] }> {
  const accepts = async (question: Question): Promise<boolean> => (await ask(question)) !== REFUSED;
  const report = (extra?: Texts) => requestWith(operator, 'report.ad-hoc.fetch', period, extra);
  const game = (launchOptions: Readonly<Record<string, unknown>>) => {
    const session = { authType: NOBODY as 'external', launchOptions };
    return requestWith(operator, 'game.open', { player: { id: NOBODY }, session });
  };
  /** Each is signed in two or three ways by the settings that are left, of which one is right; if none may be, with the reason. */
  const probes = [
    [
      report(),
      'the platform refuses a request that all settings sign alike: check PLATFORM_CLIENT_ID and the secret key',
    ],
    // In a list, so that it is signed first or last wherever its members are placed.
    [report({ a: '["x"]', z: '"y"' })],
    [report({ z: '["x"]' })],
    [game({}), 'the platform accepts no known signature of open-game: check PLATFORM_API_URL'],
    // Nested values are in JSON strings of the reports or, if these are not decoded, in the body of open-game.
    [report({ z: '{"x":{"page":"7","y":"8"}}' })],
    [game({ x: { page: '7', y: '8' } })],
    [report({ z: '{"x":true}' })],
    [game({ x: true })],
  ] as const;
  if (await accepts(report().signed('0'.repeat(64)))) {
    throw fault('the platform accepts a wrong signature: does PLATFORM_BASE_URL lead to the platform?');
  }
  let left = EVERY_SIGNATURE_SETTING;
  for (const [request, reason] of probes) {
    const tried = [...Map.groupBy(left, request.signatureBy)];
    let [, accepted] = (reason === undefined ? tried.pop() : undefined) ?? [];
    for (const [signature, settings] of tried) {
      if (!(await accepts(request.signed(signature)))) continue;
      accepted = settings;
      break;
    }
    if (!accepted) throw fault(reason);
    left = accepted;
  }
  const [found = DEFAULT_SIGNATURE_SETTINGS] = left;
  const irrelevant = Object.entries(SIGNATURE_VARIABLES).flatMap(([variable, { member }]) =>
    left.some((other) => other[member] !== found[member]) ? [variable] : [],
  );
  const statuses: number[] = [];
  for (const rakeParametersIn of ['form', 'query'] as const) {
    const request = requestWith(operator, 'report.rake.fetch', period, ALL_AT_ONCE, rakeParametersIn);
    const status = await ask(request.signed(request.signatureBy(found)));
    if (status === SUCCESS) return { settings: { ...found, rakeParametersIn }, irrelevant };
    statuses.push(status);
  }
  throw fault(
    `the platform accepts each setting by itself, and not all together (it answered the rake with ${statuses.join(' and ')})`,
  );
}

const fault = (reason = ''): ExitError => new ExitError(EXIT.failed, reason);

/** A request as a worker sends it, with further parameters, for any signature. */
function requestWith<T extends Operation>(
  { clientId, secretKey, ...roots }: ProbedOperator,
  type: T,
  data: CommandData[T],
  extra: Texts = {},
  rakeParametersIn: FoundSettings['rakeParametersIn'] = 'form',
) {
  const sender = { clientId, settings: { rakeParametersIn, playerCountryMember: 'country' } };
  const { root, method, path, body, parameters } = requestOf(type, data, sender, { page: 1, perPage: 1 });
  const more = new URLSearchParams(extra).toString();
  const joined = (text: string): string => (more === '' ? text : `${text}&${more}`);
  const text = body && joined(body.text);
  const probe = { parameters: { ...parameters, ...extra }, body: type === 'game.open' ? text : undefined };
  return {
    signatureBy: (settings: SignatureSettings): string => sign(probe, secretKey, settings),
    signed: (signature: string): Question => ({
      url: roots[root] + (body ? path : joined(path)),
      method,
      headers: { sign: signature, ...(body && { 'content-type': body.contentType }) },
      body: text,
    }),
  };
}
