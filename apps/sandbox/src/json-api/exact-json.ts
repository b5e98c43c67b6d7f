// of ES2026, which TypeScript's library does not know yet
const { rawJSON } = JSON as typeof JSON & { rawJSON(this: void, text: string): unknown };

/** Writes JSON; a bigint becomes an integer with all its digits. */
export function exactJson(value: unknown): string {
  return JSON.stringify(value, writeDigits);
}

function writeDigits(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? rawJSON(String(value)) : value;
}
