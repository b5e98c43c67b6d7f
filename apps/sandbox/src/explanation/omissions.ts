import type { Parameters } from '../signature/canonical-string.ts';
import type { Deviation } from './deviation.ts';

// each costs a signature, so that a wide document would slow other requests
const MAX_PATHS = 100;

/** For each parameter, at any depth, the mistake of not signing it, and that of not signing any empty one. */
export function omissions(parameters: Parameters): Deviation[] {
  const paths = pathsOf(parameters, []);
  if (paths.length > MAX_PATHS) return [];
  const empty = paths.filter((path) => isEmpty(valueAt(parameters, path)));
  return [
    ...(empty.length > 1
      ? [
          {
            reason: 'Parameters that are empty are left out; they take part.',
            parameters: empty.reduce(without, parameters),
          },
        ]
      : []),
    ...paths.map((path) => ({
      reason: `${path.join('.')} is not signed, or was added after signing; every parameter takes part.`,
      parameters: without(parameters, path),
    })),
  ];
}

function pathsOf(members: Parameters, at: readonly string[]): string[][] {
  return Object.entries(members).flatMap(([name, value]) => {
    const path = [...at, name];
    return isMembers(value) ? [path, ...pathsOf(value, path)] : [path];
  });
}

function without(members: Parameters, [name, ...rest]: readonly string[]): Parameters {
  const { [name as string]: value, ...others } = members;
  // a nested object keeps its place, which matters if nothing is sorted
  return rest.length > 0 && isMembers(value)
    ? { ...members, [name as string]: without(value, rest) }
    : others;
}

function valueAt(members: Parameters, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (value as Parameters)[name], members);
}

function isMembers(value: unknown): value is Parameters {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmpty(value: unknown): boolean {
  return value === '' || value === null || value === false;
}
