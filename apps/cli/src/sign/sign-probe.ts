import type { OperatorCredentials, PlatformTransport } from '#platform';
import { isLoopback, readSettings } from '#settings';

import { EXIT, ExitError, usageError } from '../exit.ts';
import type { Options } from '../input.ts';
import { operatorNamed, transportOf } from '../servers.ts';
import { callAsWorker } from '../worker-calls.ts';
import { findSettings, MOST_CALLS } from './find-settings.ts';
import { type Ask, OF_REPORTS, OF_SESSIONS, PROBED, type Probing } from './probing.ts';

type ProbeOptions = Options<'player' | 'currency', 'yes' | 'json'> & { readonly operator: string };

const NAMED = { ...PROBED, ...OF_REPORTS, ...OF_SESSIONS };
/** Settings that no harmless call reveals. */
const UNCHECKED = 'not checked, because no session was opened; give --player ID of a test player';
const NOT_CHECKED = `# ${Object.keys(OF_SESSIONS).join(', ')}: ${UNCHECKED}`;

/** A platform may ignore an unknown member, and its responses never repeat the player. */
const NOT_FOUND = [
  '# PLAYER_COUNTRY_MEMBER: no answer tells the name under which it takes the country (default: country);',
  '# ask the service operator, or open a game with player.country and look at the player there',
];

/**
 * Prints the settings that a platform accepts.
 *
 * @throws ExitError if a setting is invalid, the address is not local and `--yes` is missing, or a problem
 * remains
 */
export async function signProbe({
  operator: name,
  player,
  currency,
  yes,
  json,
}: ProbeOptions): Promise<void> {
  const settings = readSettings(process.env);
  const operator = operatorNamed(name, settings);
  if (operator.secretKey === undefined) {
    throw new ExitError(EXIT.settings, `${name} has no secret key: there is no signature to try`);
  }
  const strange = strangeHostOf(operator);
  if (strange !== undefined && !yes) {
    throw usageError(
      `${strange} is not this machine: up to ${MOST_CALLS} calls go there, some with a wrong signature; ` +
        'give --yes if it is a test environment',
    );
  }
  const ask = askOf(transportOf(settings, [operator]));
  const found = await findSettings(
    ask,
    operator,
    player === undefined ? undefined : { id: player, currency },
  );
  const shown = player === undefined ? { ...PROBED, ...OF_REPORTS } : NAMED;
  const values = Object.entries(shown).map(([variable, { member }]) => [
    variable,
    String(found.settings[member]),
  ]);
  const none =
    found.problems.length > 0 ? 'no setting solves the problems below' : 'the present settings are right';
  const changes = changesOf(found, operator).join(' ') || `nothing: ${none}`;
  const notes = [...found.notes, ...found.problems].map((note) => `# ${note}`);
  const text = [
    `# found by ${found.calls} calls; to change: ${changes}`,
    ...values.map(([variable = '', value]) =>
      found.irrelevant.has(variable) ? `# ${variable}: makes no difference there` : `${variable}=${value}`,
    ),
    ...(player === undefined ? [NOT_CHECKED] : []),
    ...notes,
    ...NOT_FOUND,
  ];
  if (found.isAnythingTaken)
    process.stdout.write(`${json ? JSON.stringify(Object.fromEntries(values)) : text.join('\n')}\n`);
  if (found.problems.length > 0) throw new ExitError(EXIT.failed, found.problems.join('\n'));
}

/** Returns a host of the operator's addresses that is not this machine. */
export function strangeHostOf({ baseUrl, apiUrl }: OperatorCredentials): string | undefined {
  return [baseUrl, apiUrl].map((root) => new URL(root).hostname).find((host) => !isLoopback(host));
}

/** Calls the platform as a worker does. @throws ExitError without a response */
export function askOf(transport: PlatformTransport): Ask {
  return async (operation, data, credentials) => {
    const answer = await callAsWorker(operation, data, credentials, transport);
    if (answer === 'success' || answer.platform) return answer;
    const { code, details } = answer;
    const reason = typeof details?.['reason'] === 'string' ? details['reason'] : code;
    if (!/^(PLATFORM_UNAVAILABLE|OUTCOME_UNKNOWN|COMMAND_EXPIRED)$/.test(code)) return answer;
    const { origin } = new URL(operation === 'game.open' ? credentials.apiUrl : credentials.baseUrl);
    const why = `${origin} does not answer ${operation} (${reason})`;
    throw new ExitError(EXIT.noAnswer, `${why}; nothing was found`);
  };
}

/** Returns the lines to set that differ from the current settings. */
export function changesOf(
  { settings }: Pick<Probing, 'settings'>,
  operator: OperatorCredentials,
): readonly string[] {
  return Object.entries(NAMED).flatMap(([variable, { member }]) => {
    const [value, own] = [settings, operator.settings].map((each) => String(each[member]));
    return value === own ? [] : [`${variable}=${value}`];
  });
}
