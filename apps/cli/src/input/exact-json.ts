import { exactJson } from '#signing';

export { exactJson };

/** A value for people: a text as it is, anything else as its exact JSON. */
export function written(value: unknown): string {
  return typeof value === 'string' ? value : exactJson(value);
}

/** Where a text stops being JSON, without quoting it, since it may hold a secret; `undefined` if it is JSON. */
export function jsonFault(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const { message } = error as Error;
    const [place = ''] = /\(?line \d+ column \d+\)?/.exec(message) ?? /position \d+/.exec(message) ?? [];
    return `is not JSON ${place}`.trimEnd();
  }
}
