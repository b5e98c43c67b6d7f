import { IsDefined, ValidateIf } from 'class-validator';

/** class-validator decorators of one member. The type of the allowed values exists only at compile time. */
export type Rule<T> = PropertyDecorator & { readonly value: T };

/** Combines rules into one decorator. */
export const ruleOf = <T>(...rules: readonly PropertyDecorator[]): Rule<T> => {
  // Applied last to first, in the order in which decorators of a member run; schemas depend on it.
  const decorate: PropertyDecorator = (target, name) => {
    for (const rule of rules.toReversed()) rule(target, name);
  };
  return decorate as Rule<T>;
};

type Member<T, IsRequired extends boolean> = Rule<T> & { readonly isRequired: IsRequired };

/** The member is required, and follows the rules; the description is a sentence for the documents. */
export const required = <T>(description: string, rule: Rule<T>, ...further: readonly PropertyDecorator[]) => {
  const isGiven = IsDefined({ message: 'must be given, and not as null', context: { description } });
  return ruleOf<T>(isGiven, rule, ...further) as Member<T, true>;
};

/**
 * The member may be absent, and follows the rules if it is not; unlike class-validator's `IsOptional`, `null`
 * is refused.
 */
export const optional = <T>(description: string, rule: Rule<T>, ...further: readonly PropertyDecorator[]) => {
  const isGiven = ValidateIf((_object, value) => value !== undefined, { context: { description } });
  return ruleOf<T>(isGiven, rule, ...further) as Member<T, false>;
};

type Members = Readonly<Record<string, Member<unknown, boolean>>>;
type Required<M extends Members> = { [N in keyof M]: M[N]['isRequired'] extends true ? N : never }[keyof M];
type DataOf<M extends Members> = { readonly [N in Required<M>]: M[N]['value'] } & {
  readonly [N in Exclude<keyof M, Required<M>>]?: M[N]['value'] | undefined;
};

/** A class whose members have class-validator's decorators. */
export type Shape<T extends object = object> = new () => T;

type NamedShape<T extends object> = Shape<T> & { readonly members: readonly (keyof T & string)[] };

/**
 * Creates a class from members and their rules. Instances contain only set members.
 *
 * @param base the base class
 */
export function shape<M extends Members, Base extends object = object>(
  name: string,
  members: M,
  base?: NamedShape<Base>,
): NamedShape<Base & DataOf<M>> {
  const made = base ? class extends (base as Shape) {} : class {};
  Object.defineProperty(made, 'name', { value: name });
  for (const [member, decorate] of Object.entries(members)) decorate(made.prototype, member);
  return Object.assign(made, { members: [...Object.keys(members), ...(base?.members ?? [])] }) as never;
}
