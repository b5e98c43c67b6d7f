import { IsArray, IsBoolean, IsIn, IsInt, IsISO8601, IsString, Min, ValidateNested } from 'class-validator';

import { type Rule, ruleOf, type Shape } from '../validation/shape.ts';

// Rules of replies come from class-validator itself, because workers do not validate replies.
export const IsAnyText = ruleOf<string>(IsString());
/** A time in ISO 8601. */
export const IsMoment = ruleOf<string>(IsISO8601());
export const IsFlag = ruleOf<boolean>(IsBoolean());
export const IsInteger = ruleOf<number>(IsInt());
export const IsCount = ruleOf<number>(IsInt(), Min(0));
/** @param title names the type in generated code */
export const IsOneOf = <T extends string>(values: readonly T[], title: string): Rule<T> =>
  ruleOf(IsIn(values, { context: { title } }));
/** An array of objects whose members follow the rules of `shape`. */
export const IsArrayOf = <T extends object>(shape: Shape<T>): Rule<readonly T[]> =>
  ruleOf(IsArray(), ValidateNested({ each: true, context: shape }));
