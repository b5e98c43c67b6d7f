import type { OperatorCredentials, PlatformTransport } from '#platform';
import { isLoopback, readSettings } from '#settings';

import { EXIT, ExitError, usageError } from '../exit.ts';
import type { Options } from '../input.ts';
import { operatorNamed, transportOf } from '../servers.ts';
import { callAsWorker } from '../worker-calls.ts';
import { type Ask, type Findings, findSettings, MOST_CALLS, PROBED } from './find-settings.ts';

type ProbeOptions = Options<never, 'yes' | 'json'> & { readonly operator: string };

/** A member that the platform does not know may be ignored, and its answers never repeat the player. */
const NOT_FOUND = [
  '# PLAYER_COUNTRY_MEMBER: no answer tells the name under which it takes the country (default: country);',
  '# ask the service operator, or open a game with player.country and look at the player there',
];

/** @throws ExitError if a setting cannot be used, the address is not local and nobody said yes, or something is not found */
export async function signProbe({ operator: name, yes, json }: ProbeOptions): Promise<void> {
  const settings = readSettings(process.env);
  const operator = operatorNamed(name, settings);
  if (operator.secretKey === undefined) {
    throw new ExitError(EXIT.settings, `${name} has no secret key: there is no signature to try`);
  }
  const strange = strangeHostOf(operator);
  if (strange !== undefined && !yes) {
    throw usageError(
      `${strange} is not this machine: up to ${MOST_CALLS} calls, some with a wrong signature, go there; give --yes if it is a test environment`,
    );
  }
  const found = await findSettings(askOf(transportOf(settings, [operator])), operator);
  const values = Object.entries(PROBED).map(([variable, { member }]) => [variable, found.settings[member]]);
  const changes = changesOf(found, operator).join(' ') || 'nothing: the present settings are right';
  const notes = [...found.notes, ...found.problems].map((note) => `# ${note}`);
  const text = [
    `# found by ${found.calls} calls; to change: ${changes}`,
    ...linesOf(found),
    ...notes,
    ...NOT_FOUND,
  ];
  if (found.isAnythingTaken)
    process.stdout.write(`${json ? JSON.stringify(Object.fromEntries(values)) : text.join('\n')}\n`);
  if (found.problems.length > 0) throw new ExitError(EXIT.failed, found.problems.join('\n'));
}

/** A host of the operator's addresses that is not this machine. */
export function strangeHostOf({ baseUrl, apiUrl }: OperatorCredentials): string | undefined {
  return [baseUrl, apiUrl].map((root) => new URL(root).hostname).find((host) => !isLoopback(host));
}

/** Calls as a worker does. @throws ExitError if there is no answer */
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

/** The lines to set that differ from what is set now. */
export function changesOf({ settings }: Findings, operator: OperatorCredentials): readonly string[] {
  return Object.entries(PROBED).flatMap(([variable, { member }]) =>
    settings[member] === operator.settings[member] ? [] : [`${variable}=${settings[member]}`],
  );
}

function linesOf({ settings, irrelevant }: Findings): readonly string[] {
  return Object.entries(PROBED).map(([variable, { member }]) =>
    irrelevant.has(variable) ? `# ${variable}: makes no difference there` : `${variable}=${settings[member]}`,
  );
}
