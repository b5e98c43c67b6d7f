import { distance } from 'fastest-levenshtein';

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
/** First words that variables of other programs have too: one of these has to be like a setting in its other words as well. */
const COMMON_WORDS: ReadonlySet<string> = new Set(['HTTP', 'LOG', 'MAX', 'OTEL', 'REDIS', 'SESSION']);
const CLOSE_BY = 2;
/** A shorter word is no beginning of another one. */
const SHORTEST_BEGINNING = 3;
/** Variables of every shell, close to `LANES`, and variables that OpenTelemetry reads itself. */
const FOREIGN = /^(LANG|LINES|OTEL_(?!BSP|SDK|SERVICE|TRACES).*)$/;

/** Variables that look like settings and are none. Source: bus contract, section 7. */
export function nearMissesIn(environment: NodeJS.ProcessEnv): readonly NearMiss[] {
  return Object.keys(environment)
    .filter((variable) => !KNOWN.has(variable) && !FOREIGN.test(variable) && environment[variable] !== '')
    .flatMap((variable) => {
      const meant = nearestTo(variable);
      return meant === undefined ? [] : [{ variable, meant }];
    });
}

/** The setting that is most like a variable which differs from one by a letter or two, or begins like one. */
function nearestTo(variable: string): SettingName | undefined {
  const words = variable.split('_');
  const mostUnlike = COMMON_WORDS.has(words[0] ?? '') ? 1 : Number.POSITIVE_INFINITY;
  const candidates = NAMES.map((name) => ({
    name,
    letters: distance(variable, name),
    unlikeness: variable.startsWith(`${name}_`) ? 0 : unlikenessOf(words, name.split('_')),
  })).filter(({ letters, unlikeness }) => letters <= CLOSE_BY || unlikeness <= mostUnlike);
  const byLikeness = candidates.toSorted((a, b) => a.unlikeness - b.unlikeness || a.letters - b.letters);
  return byLikeness[0]?.name;
}

/** How far the words of a variable are from words of a name that begins with the same one; another first word is too far. */
function unlikenessOf([first, ...others]: readonly string[], [ownFirst, ...own]: readonly string[]): number {
  if (first !== ownFirst || others.length === 0 || own.length === 0) return Number.NaN;
  const distances = others.map((word) => Math.min(...own.map((ownWord) => distanceOf(word, ownWord))));
  return distances.reduce((sum, each) => sum + each, 0);
}

/** A word that is not close to the other one is as far from it as from any. */
function distanceOf(one: string, other: string): number {
  const isBeginning =
    Math.min(one.length, other.length) >= SHORTEST_BEGINNING &&
    (one.startsWith(other) || other.startsWith(one));
  if (isBeginning) return 0;
  const letters = distance(one, other);
  return letters <= CLOSE_BY ? letters : one.length;
}
