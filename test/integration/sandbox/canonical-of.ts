/** The canonical string of parameters that are strings and integers, computed independently of the sandbox's code. */
export function canonicalOf(parameters: unknown): string {
  if (typeof parameters !== 'object' || parameters === null) return String(parameters);
  const members = Object.entries(parameters).sort(([left], [right]) => (left < right ? -1 : 1));
  return members.map(([, member]) => canonicalOf(member)).join('');
}
