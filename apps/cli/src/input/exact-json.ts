const INTEGER = /^-?\d+$/;

/** A part of the language that TypeScript's types do not have yet. */
const RAW = JSON as typeof JSON & { rawJSON(text: string): object };
type Reviver = Parameters<typeof JSON.parse>[1];

/** Parses JSON; integers beyond the safe range become `bigint`. @throws SyntaxError, which may quote the text */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, ((_name: string, value: unknown, { source }: { source?: string }) => {
    const isInexact = typeof value === 'number' && !Number.isSafeInteger(value);
    return isInexact && source !== undefined && INTEGER.test(source) ? BigInt(source) : value;
  }) as Reviver);
}

/** The JSON of a value from `parseExactJson`, digit for digit. */
export function exactJson(value: unknown, indent?: number): string {
  const write = (_name: string, member: unknown): unknown =>
    typeof member === 'bigint' ? RAW.rawJSON(String(member)) : member;
  return JSON.stringify(value, write, indent);
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
