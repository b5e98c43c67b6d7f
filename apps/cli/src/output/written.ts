import { exactJson } from '../input/exact-json.ts';

/** A value for people: a text as it is, anything else as JSON with all its digits. */
export function written(value: unknown): string {
  return typeof value === 'string' ? value : exactJson(value);
}
