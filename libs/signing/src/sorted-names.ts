/** The only code units whose order differs between UTF-16, by which JavaScript sorts, and UTF-8. */
const SURROGATE = /[\ud800-\udfff]/;

/** The names of an object's members by the bytes of their UTF-8, as PHP compares strings. */
export function sortedNames(members: object): string[] {
  const names = Object.keys(members).sort();
  return names.some((name) => SURROGATE.test(name)) ? names.sort(byBytes) : names;
}

function byBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
