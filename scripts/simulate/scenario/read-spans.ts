import { closest } from 'fastest-levenshtein';

import { COMMAND_TYPES, type CommandType } from '#contracts';

import { readCount, readNumber, readSpan } from './read-numbers.ts';
import { type Load, type Outage, OUTAGE_KINDS } from './scenario.ts';

const OUTAGE_EXAMPLE = '60-90:errors, 60-90:slow=10 or 60-90:silent:game.open';
/** How many times as long answers take in an outage that does not say it. */
const SLOW_FACTOR = '10';

/** `FROM-TO:KIND`, seconds, with `=FACTOR` if it is slow, and `:COMMAND` if it is one of them. @throws Error */
export function readOutage(text: string): Outage {
  const [span, what] = readSpan('outage', text, OUTAGE_EXAMPLE);
  const [kindAndFactor = '', operation, ...more] = what.split(':');
  const [name = '', factor = SLOW_FACTOR] = kindAndFactor.split('=');
  const kind = OUTAGE_KINDS.find((known) => known === name);
  if (kind === undefined || more.length > 0 || (kind !== 'slow' && kindAndFactor.includes('='))) {
    throw new Error(
      `--outage knows ${OUTAGE_KINDS.join(', ')}, as in ${OUTAGE_EXAMPLE}; not "${what}" (did you mean ${closest(name, [...OUTAGE_KINDS])}?)`,
    );
  }
  return {
    ...span,
    kind,
    factor: kind === 'slow' ? readNumber('outage', factor, [1, 1_000]) : 1,
    ...(operation !== undefined && { operation: readCommand(operation) }),
  };
}

/** `FROM-TO:FACTOR`, seconds. @throws Error */
export function readSurge(text: string): Load['surges'][number] {
  const [span, factor] = readSpan('surge', text, '60-120:3');
  return { ...span, factor: readNumber('surge', factor, [0, 1_000]) };
}

/** `AT:COMMANDS`, seconds. @throws Error */
export function readBurst(text: string): Load['bursts'][number] {
  const [, at, commands] = /^([\d.]+):(\d+)$/.exec(text) ?? [];
  if (at === undefined || commands === undefined) {
    throw new Error(`--burst takes a second and a number of commands, as in 60:2000; not "${text}"`);
  }
  return {
    atMs: readNumber('burst', at, [0, 1e6]) * 1_000,
    commands: readCount('burst', commands, [1, 1e6]),
  };
}

function readCommand(name: string): CommandType {
  const command = COMMAND_TYPES.find((known) => known === name);
  if (command !== undefined) return command;
  throw new Error(
    `--outage: there is no command "${name}" (did you mean ${closest(name, [...COMMAND_TYPES])}?)`,
  );
}
