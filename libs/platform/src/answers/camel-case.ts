const MAX_NAMES = 1000;
const MAX_LENGTH = 64;
const NAMES = new Map<string, string>();
/** Looks at a run of dashes once: from its first one alone. */
const DASHES = /(?<!-)-+([^-])/g;

/** `user-id` as `userId`. The names of the interface are few, short and remembered; those of a hostile answer only up to a limit. */
export function camelCase(name: string): string {
  let converted = NAMES.get(name);
  if (converted === undefined) {
    converted = name.replace(DASHES, (_dash, next: string) => next.toUpperCase());
    if (NAMES.size >= MAX_NAMES) NAMES.clear();
    if (name.length <= MAX_LENGTH) NAMES.set(name, converted);
  }
  return converted;
}
