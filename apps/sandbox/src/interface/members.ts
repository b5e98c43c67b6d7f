/** A member of a JSON object, with the requirement for its value. */
export interface Member<T> {
  readonly isRequired: boolean;
  /** The requirement in words that complete "must be …". */
  readonly demand: string;
  readonly test: (value: unknown) => boolean;
  readonly fallback?: T;
  /** The initial value of its field in a form. */
  readonly shown?: unknown;
}

/** The members of a JSON object, by their names. */
export type Shape = Readonly<Record<string, Member<unknown>>>;

/** The values of the members. An absent member without a default is undefined. */
export type ValuesOf<S> = { readonly [M in keyof S]: S[M] extends Member<infer T> ? T : never };

export interface Violation {
  /** JSON pointer into the object. */
  readonly pointer: string;
  readonly message: string;
}

/**
 * Reads the members of a JSON object, with defaults for absent members.
 * @param at JSON pointer to the object
 * @param isTolerant keeps unknown members, and treats null as absent
 * @throws the error that `refuse` creates from all violations
 */
export function readMembers<S extends Shape>(
  value: unknown,
  shape: S,
  { at, isTolerant = false }: { readonly at: string; readonly isTolerant?: boolean },
  refuse: (violations: readonly [Violation, ...Violation[]]) => Error,
): ValuesOf<S> {
  if (!isObject(value)) throw refuse([{ pointer: at, message: 'must be an object' }]);
  const entries = Object.entries(value).filter(([, given]) => !isTolerant || given !== null);
  const members = Object.fromEntries(entries);
  const unknown = isTolerant ? [] : entries.filter(([name]) => !Object.hasOwn(shape, name));
  const violations = unknown.map(([name]) => ({ pointer: `${at}/${name}`, message: 'is not known' }));
  for (const [name, { isRequired, demand, test, fallback }] of Object.entries(shape)) {
    if (isRequired || Object.hasOwn(members, name)) {
      if (!test(members[name])) violations.push({ pointer: `${at}/${name}`, message: `must be ${demand}` });
    } else if (fallback !== undefined) members[name] = fallback;
  }
  const [first, ...others] = violations;
  if (first) throw refuse([first, ...others]);
  return members as ValuesOf<S>;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function member<T>(demand: string, test: (value: unknown) => boolean): Member<T> {
  return { isRequired: true, demand, test };
}

export function optional<T>(of: Member<T>): Member<T | undefined>;
export function optional<T>(of: Member<T>, fallback: NoInfer<T>): Member<T>;
export function optional<T>(of: Member<T>, fallback?: T): Member<T | undefined> {
  return { ...of, isRequired: false, ...(fallback !== undefined && { fallback, shown: fallback }) };
}

export const anyValue = member<unknown>('anything', () => true);
export const boolean = member<boolean>('true or false', (value) => typeof value === 'boolean');
export const object = member<object>('an object', isObject);
export const text = member<string>('a string', (value) => typeof value === 'string');

export function textOf(minimum: number, maximum: number, pattern = /^/) {
  const fits = (value: string) => value.length >= minimum && value.length <= maximum && pattern.test(value);
  const test = (value: unknown) => typeof value === 'string' && fits(value);
  return member<string>(`a string of ${minimum} to ${maximum} characters`, test);
}

export function number(minimum: number, maximum: number) {
  const test = (value: unknown) => typeof value === 'number' && value >= minimum && value <= maximum;
  return member<number>(`a number from ${minimum} to ${maximum}`, test);
}

export function integer(minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER) {
  const { test } = number(minimum, maximum);
  const demand = `an integer from ${minimum} to ${maximum}`;
  return member<number>(demand, (value) => Number.isSafeInteger(value) && test(value));
}

export function oneOf<const T>(values: readonly T[]): Member<T> {
  return member(`one of ${values.join(', ')}`, (value) => values.includes(value as T));
}
