import { closest, distance } from 'fastest-levenshtein';

import { SETTINGS, type SettingName } from './settings.ts';

/** A variable that no program here reads, and the one that was probably meant. */
export interface NearMiss {
  readonly variable: string;
  readonly meant: SettingName;
}

const NAMES = Object.keys(SETTINGS) as SettingName[];
const KNOWN: ReadonlySet<string> = new Set([
  ...NAMES,
  ...NAMES.filter((name) => 'isSecret' in SETTINGS[name]).map((name) => `${name}_FILE`),
]);
/** First words of settings that other programs seldom use. */
const FAMILIES = ['AMQP_', 'CIRCUIT_', 'INTERACTIVE_', 'PLATFORM_', 'REPORTS_', 'SIGNATURE_'];
const CLOSE_BY = 2;
/** Of every shell: close to `LANES`. */
const FOREIGN: ReadonlySet<string> = new Set(['LANG', 'LINES']);

/** Variables that look like settings and are none. Source: bus contract, section 7. */
export function nearMissesIn(environment: NodeJS.ProcessEnv): readonly NearMiss[] {
  return Object.keys(environment)
    .filter((variable) => !KNOWN.has(variable) && !FOREIGN.has(variable) && environment[variable] !== '')
    .map((variable) => ({ variable, meant: closest(variable, NAMES) as SettingName }))
    .filter(({ variable, meant }) => isOneOfOurs(variable) || distance(variable, meant) <= CLOSE_BY);
}

function isOneOfOurs(variable: string): boolean {
  return FAMILIES.some((family) => variable.startsWith(family));
}
