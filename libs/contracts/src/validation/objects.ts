import { IsArray, IsObject, ValidateNested } from 'class-validator';

import type { Shape } from '../definition.ts';

/** Whether `value` is an object in the sense of JSON. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object whose members follow the rules of `shape`. */
export const IsObjectOf =
  (shape: Shape): PropertyDecorator =>
  (target, name) => {
    IsObject({ message: 'must be an object' })(target, name);
    ValidateNested({ context: shape })(target, name);
  };

/** An array of objects whose members follow the rules of `shape`; only for replies. */
export const IsArrayOf =
  (shape: Shape): PropertyDecorator =>
  (target, name) => {
    IsArray()(target, name);
    ValidateNested({ each: true, context: shape })(target, name);
  };
