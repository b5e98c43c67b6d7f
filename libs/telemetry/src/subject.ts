import { createHmac } from 'node:crypto';

/** 128 bits: two players never share one. */
const DIGITS = 32;

/**
 * How log lines name a player of an operator: the same on each line, and nothing that leads back to the player without
 * the key.
 *
 * @param key setting `LOG_SUBJECT_KEY`
 */
export function subjectOf(key: string, operator: string, player: string): string {
  // As JSON, no two pairs make the same text.
  const pair = JSON.stringify([operator, player]);
  return createHmac('sha256', key).update(pair).digest('hex').slice(0, DIGITS);
}
