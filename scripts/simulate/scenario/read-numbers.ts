import type { Span } from './scenario.ts';

/** A number within bounds, both inclusive. @throws Error that says what the option takes */
export function readNumber(option: string, text: string, [least, most]: readonly [number, number]): number {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (number >= least && number <= most) return number;
  throw new Error(`--${option} takes a number from ${least} to ${most}, and not "${text}"`);
}

export function readCount(option: string, text: string, bounds: readonly [number, number]): number {
  const number = readNumber(option, text, bounds);
  if (Number.isInteger(number)) return number;
  throw new Error(`--${option} takes a whole number, and not "${text}"`);
}

/**
 * A span of seconds and what follows it, for example `60-90:errors`.
 *
 * @param example completes the message of a fault
 * @throws Error that says how it is written
 */
export function readSpan(option: string, text: string, example: string): readonly [Span, string] {
  const [, from, to, rest] = /^([\d.]+)-([\d.]+):(.+)$/.exec(text) ?? [];
  const [fromMs, toMs] = [Number(from) * 1_000, Number(to) * 1_000];
  if (rest === undefined || !(fromMs < toMs)) {
    throw new Error(`--${option} takes seconds from and to, and what then, as in ${example}; not "${text}"`);
  }
  return [{ fromMs, toMs }, rest];
}
