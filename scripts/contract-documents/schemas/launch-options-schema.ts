import { type Definitions, reference } from './json-schema.ts';
import { PRINTABLE } from './rule-schemas.ts';

const DESCRIPTION =
  'Custom options embedded in the URL of the game: an object, or a string that holds one as JSON. At most 8 KiB.';

/** Launch options: any JSON whose signature is defined. */
export const LAUNCH_DEFINITIONS: Definitions = {
  LaunchOptions: {
    description: DESCRIPTION,
    oneOf: [
      reference('LaunchObject'),
      { type: 'string', maxLength: 8192, pattern: PRINTABLE, contentMediaType: 'application/json' },
    ],
  },
  LaunchObject: {
    type: 'object',
    propertyNames: { pattern: PRINTABLE, not: { pattern: String.raw`^-?\d+$` } },
    additionalProperties: reference('LaunchValue'),
  },
  LaunchValue: {
    oneOf: [
      { type: 'string', pattern: PRINTABLE },
      { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
      { type: 'boolean' },
      { type: 'null' },
      { type: 'array', items: reference('LaunchValue') },
      reference('LaunchObject'),
    ],
  },
};
