import { ValidateBy } from 'class-validator';

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

/** An integer within ±(2^53 − 1) and the given bounds, both inclusive. */
export const IsSafeInteger = ({
  min = Number.MIN_SAFE_INTEGER,
  max = Number.MAX_SAFE_INTEGER,
}: Bounds = {}): PropertyDecorator =>
  ValidateBy({
    name: 'isSafeInteger',
    constraints: [min, max],
    validator: {
      validate: (value) => Number.isSafeInteger(value) && value >= min && value <= max,
      defaultMessage: () => `must be an integer from ${min} to ${max}`,
    },
  });
