const MAX_NAMES = 1000;
const NAMES = new Map<string, string>();

/** `user-id` as `userId`. The names of the interface are few and remembered; those of a hostile answer only up to a limit. */
export function camelCase(name: string): string {
  let converted = NAMES.get(name);
  if (converted === undefined) {
    converted = name.replace(/-+([^-])/g, (_dash, next: string) => next.toUpperCase());
    if (NAMES.size >= MAX_NAMES) NAMES.clear();
    NAMES.set(name, converted);
  }
  return converted;
}
