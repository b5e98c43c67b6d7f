import { type Definitions, reference } from './json-schema.ts';

const DESCRIPTION =
  'Custom options embedded in the URL of the game: an object, or a string that holds one as JSON. At most 8 KiB.';

/**
 * Launch options: any JSON whose signature is defined.
 *
 * @param pattern of every string
 * @param refusedName a pattern that no name may have
 */
export function launchOptionsSchemas(maxLength: number, pattern: string, refusedName: string): Definitions {
  return {
    LaunchOptions: {
      description: DESCRIPTION,
      oneOf: [
        reference('LaunchObject'),
        { type: 'string', maxLength, pattern, contentMediaType: 'application/json' },
      ],
    },
    LaunchObject: {
      type: 'object',
      propertyNames: { pattern, not: { pattern: refusedName } },
      additionalProperties: reference('LaunchValue'),
    },
    LaunchValue: {
      oneOf: [
        { type: 'string', pattern },
        { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
        { type: 'boolean' },
        { type: 'null' },
        { type: 'array', items: reference('LaunchValue') },
        reference('LaunchObject'),
      ],
    },
  };
}
