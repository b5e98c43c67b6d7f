import { ValidateBy } from 'class-validator';

import { isObject } from './objects.ts';

/** Each currency with its number of decimals, or `null`. */
export const IsPrecisions = (): PropertyDecorator =>
  ValidateBy({
    name: 'isPrecisions',
    validator: {
      validate: (value) =>
        isObject(value) && Object.values(value).every((decimals) => decimals === null || isCount(decimals)),
      defaultMessage: () => 'must hold a number of decimals or null for each currency',
    },
  });

/** Records of a report, each with its id. */
export const IsRecords = (): PropertyDecorator =>
  ValidateBy({
    name: 'isRecords',
    validator: {
      validate: (value) =>
        Array.isArray(value) && value.every((record) => isObject(record) && 'id' in record),
      defaultMessage: () => 'must be an array of records, each with its id',
    },
  });

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
