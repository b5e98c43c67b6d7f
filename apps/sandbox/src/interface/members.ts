/** Says what a value must be; undefined if it is that. */
export type Rule = (value: unknown) => string | undefined;

/** The members of a JSON object, by their names. */
export interface Shape {
  readonly required?: Readonly<Record<string, Rule>>;
  readonly optional?: Readonly<Record<string, Rule>>;
}

export interface Violation {
  /** JSON pointer into the object. */
  readonly pointer: string;
  readonly message: string;
}

/**
 * What is wrong with an object. A member that is null counts as absent if nulls are allowed.
 * @param at JSON pointer to the object
 */
export function violationsOf(
  value: unknown,
  { required = {}, optional = {} }: Shape,
  { at = '', allowsNull = false, allowsOthers = false } = {},
): readonly Violation[] {
  if (!isObject(value)) return [{ pointer: at, message: 'must be an object' }];
  const rules = { ...required, ...optional };
  const known = Object.entries(rules).flatMap(([name, check]) => {
    const member = value[name];
    const isAbsent = member === undefined || (member === null && allowsNull);
    if (isAbsent && !Object.hasOwn(required, name)) return [];
    const message = check(member);
    return message === undefined ? [] : [{ pointer: `${at}/${name}`, message }];
  });
  const others = Object.keys(value).filter((name) => !allowsOthers && !Object.hasOwn(rules, name));
  return [...others.map((name) => ({ pointer: `${at}/${name}`, message: 'is not known' })), ...known];
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A rule from a test and what it demands. */
export function rule(test: (value: unknown) => boolean, demand: string): Rule {
  return (value) => (test(value) ? undefined : `must be ${demand}`);
}

export const anyValue = rule(() => true, 'anything');
export const boolean = rule((value) => typeof value === 'boolean', 'true or false');
export const text = rule((value) => typeof value === 'string', 'a string');

export function textOf(minimum: number, maximum: number, pattern = /^/): Rule {
  return rule(
    (value) =>
      typeof value === 'string' && value.length >= minimum && value.length <= maximum && pattern.test(value),
    `a string of ${minimum} to ${maximum} characters`,
  );
}

export function integer(minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER): Rule {
  return rule(
    (value) => Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum,
    `an integer from ${minimum} to ${maximum}`,
  );
}

export function number(minimum: number, maximum: number): Rule {
  return rule(
    (value) => typeof value === 'number' && value >= minimum && value <= maximum,
    `a number from ${minimum} to ${maximum}`,
  );
}

export function oneOf(values: readonly unknown[]): Rule {
  return rule((value) => values.includes(value), `one of ${values.join(', ')}`);
}
