import { ValidateBy } from 'class-validator';
import { parseJson } from '../signature/parse-json.ts';

/** Launch options are a JSON object, or a string that holds one. */
export function IsLaunchOptions(): PropertyDecorator {
  return ValidateBy({
    name: 'isLaunchOptions',
    validator: {
      validate: (value: unknown) => isObject(typeof value === 'string' ? parseJson(value)?.value : value),
      defaultMessage: () => 'launchOptions must be a JSON object, or a string that holds one',
    },
  });
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
