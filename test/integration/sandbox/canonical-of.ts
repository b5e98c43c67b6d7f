/** The string that is signed over parameters of strings and integers alone, written apart from the sandbox's own code. */
export function canonicalOf(parameters: unknown): string {
  if (typeof parameters !== 'object' || parameters === null) return String(parameters);
  const members = Object.entries(parameters).sort(([left], [right]) => (left < right ? -1 : 1));
  return members.map(([, member]) => canonicalOf(member)).join('');
}
