import { askOnce, faultCodeOf } from '#platform';
import { isLoopback, readSettings } from '#settings';
import { SIGNATURE_VARIABLES } from '#signing';

import { EXIT, type ExitCode, ExitError, usageError } from '../exit.ts';
import { operatorNamed } from '../input/operator-named.ts';
import { tlsOf } from '../input/tls-of.ts';
import { type Ask, findSettings, type Finding } from './find-settings.ts';
import type { FoundSettings, Period } from './probe-requests.ts';

const MINUTE_MS = 60_000;
/** The platform's figures are complete after ten minutes. */
const AGO_MS = 60 * MINUTE_MS;
/** A member that the platform does not know may be ignored, and its answers never repeat the player. */
const NOT_FOUND = [
  '# PLAYER_COUNTRY_MEMBER: no answer tells the name under which it takes the country (default: country);',
  '# ask the service operator, or open a game with player.country and look at the player there',
];

export interface ProbeOptions {
  readonly operator: string;
  readonly yes?: true;
  readonly json?: true;
}

/**
 * Asks the platform how it signs, and prints the settings.
 *
 * @throws ExitError if a setting cannot be used, the address is not local and nobody said yes, or there is no answer
 */
export async function signProbe(options: ProbeOptions): Promise<ExitCode> {
  const { operator, transport } = readOperator(options.operator);
  const { secretKey } = operator;
  if (secretKey === undefined) {
    throw new ExitError(EXIT.settings, `${operator.name} has no secret key: there is no signature to try`);
  }
  const hosts = [operator.baseUrl, operator.apiUrl].map((root) => new URL(root).hostname);
  const strange = hosts.find((host) => !isLoopback(host));
  if (strange !== undefined && !options.yes) {
    throw usageError(
      `${strange} is not this machine: up to twelve calls, most with a wrong signature, go there; say --yes if it is a test environment`,
    );
  }
  let calls = 0;
  const ask: Ask = async (question) => {
    calls += 1;
    try {
      return (await askOnce(question, transport)).status;
    } catch (error) {
      const { origin } = new URL(question.root);
      throw new ExitError(
        EXIT.noAnswer,
        `${origin} does not answer (${faultCodeOf(error)}); nothing was found`,
      );
    }
  };
  const finding = await findSettings(ask, { ...operator, secretKey }, periodAt(Date.now()));
  if (finding.kind === 'fault') throw new ExitError(EXIT.failed, `after ${calls} calls: ${finding.reason}`);
  process.stdout.write(
    options.json ? `${JSON.stringify(linesOf(finding.settings))}\n` : describe(finding, calls),
  );
  return EXIT.success;
}

function readOperator(name: string) {
  const settings = readSettings(process.env);
  const operator = operatorNamed(name, settings);
  const tls = tlsOf('PLATFORM', settings, [operator.baseUrl, operator.apiUrl]);
  return { operator, transport: { tls, proxyUrl: settings.PLATFORM_PROXY_URL } };
}

/** The variables and their values. */
function linesOf(settings: FoundSettings): Readonly<Record<string, string>> {
  const ofSignature = Object.entries(SIGNATURE_VARIABLES).map(([variable, { member }]) => [
    variable,
    settings[member],
  ]);
  return Object.fromEntries([...ofSignature, ['RAKE_PARAMETERS_IN', settings.rakeParametersIn]]) as Record<
    string,
    string
  >;
}

function describe({ settings, irrelevant }: Extract<Finding, { kind: 'found' }>, calls: number): string {
  const lines = Object.entries(linesOf(settings)).map(([variable, value]) =>
    irrelevant.includes(variable) ? `# ${variable}: makes no difference there` : `${variable}=${value}`,
  );
  return [`# found by ${calls} calls`, ...lines, ...NOT_FOUND, ''].join('\n');
}

function periodAt(nowMs: number): Period {
  const dateOf = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 19).replace('T', ' ');
  return { dateFrom: dateOf(nowMs - AGO_MS - MINUTE_MS), dateTo: dateOf(nowMs - AGO_MS) };
}
