/**
 * Lets `JSON.stringify` write an object or array with `bigint` members: a safe integer as a number, a larger
 * one as a string with all digits. The `toJSON` method is not enumerable, so it is not part of the data.
 */
export function serializable<T extends object>(value: T): T {
  return Object.defineProperty(value, 'toJSON', { value: toJson });
}

function toJson(this: object): unknown {
  if (Array.isArray(this)) return this.map(withoutBigint);
  return Object.fromEntries(Object.entries(this).map(([name, value]) => [name, withoutBigint(value)]));
}

function withoutBigint(value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}
