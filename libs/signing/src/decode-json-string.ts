import type { SignatureSettings } from './signature-settings.ts';

const CONTAINER = /^[ \t\n\r]*[[{]/;
const SCALAR = /^[ \t\n\r]*["\-\dtfn]/;
/** Only such a text can hold an integer that a double does not. */
const LONG_NUMBER = /\d{16}/;
const INTEGER = /^-?\d+$/;

/** Node.js hands the source of a value over; the types of TypeScript do not know it yet. */
type Reviver = Parameters<typeof JSON.parse>[1];

/**
 * What a string stands for in a signature: the JSON that it holds where the setting says so, else itself.
 * What is decoded is not looked into again.
 */
export function decodeJsonString(text: string, jsonStrings: SignatureSettings['jsonStrings']): unknown {
  if (jsonStrings === 'none') return text;
  if (!CONTAINER.test(text) && !(jsonStrings === 'all' && SCALAR.test(text))) return text;
  try {
    return LONG_NUMBER.test(text) ? JSON.parse(text, keepDigits as Reviver) : JSON.parse(text);
  } catch {
    return text;
  }
}

/** Integers are written in decimal, whatever their size. */
function keepDigits(_name: string, value: unknown, { source }: { source?: string }): unknown {
  const isLong = typeof value === 'number' && !Number.isSafeInteger(value);
  return isLong && source !== undefined && INTEGER.test(source) ? source : value;
}
