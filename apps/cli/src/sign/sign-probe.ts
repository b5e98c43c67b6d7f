import { askOnce, faultCodeOf, type Question } from '#platform';
import { isLoopback, readSettings } from '#settings';
import { SIGNATURE_VARIABLES } from '#signing';

import { EXIT, ExitError, usageError } from '../exit.ts';
import type { Options } from '../options.ts';
import { periodAnHourAgo } from '../output.ts';
import { operatorNamed, transportOf } from '../servers.ts';
import { findSettings } from './find-settings.ts';

const MINUTE_MS = 60_000;
/** A member that the platform does not know may be ignored, and its answers never repeat the player. */
const NOT_FOUND = [
  '# PLAYER_COUNTRY_MEMBER: no answer tells the name under which it takes the country (default: country);',
  '# ask the service operator, or open a game with player.country and look at the player there',
];

type ProbeOptions = Options<never, 'yes' | 'json'> & { readonly operator: string };

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
