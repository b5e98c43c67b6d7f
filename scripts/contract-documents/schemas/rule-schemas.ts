import { type JsonSchema, reference } from './json-schema.ts';

/** What class-validator's metadata hold of a rule. */
interface Rule {
  readonly name?: string;
  readonly constraints?: readonly unknown[];
}

/** No control characters. That there are no lone surrogates either cannot be said for every reader of patterns. */
export const PRINTABLE = String.raw`^[^\x00-\x1f\x7f-\x9f]*$`;
/** What one character takes of a month, a day, an hour; that the day is real is for the worker to see. */
const REPORT_TIME = String.raw`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]) ([01]\d|2[0-3]):[0-5]\d:[0-5]\d$`;

const TEXT: JsonSchema = { type: 'string', maxLength: 255, pattern: PRINTABLE };

/** The words of JSON Schema for each rule of the contracts. */
const SCHEMAS: Readonly<Record<string, (constraints: readonly unknown[]) => JsonSchema>> = {
  isText: () => TEXT,
  isPlayerId: () => ({ ...TEXT, minLength: 1, not: { enum: ['.', '..'] } }),
  isLanguage: () => ({ type: 'string', pattern: '^[A-Za-z]{2}$' }),
  isReportTime: () => ({ type: 'string', pattern: REPORT_TIME }),
  // The order of two members cannot be said; the description does.
  isAfter: () => ({}),
  isSafeInteger: ([minimum, maximum]) => ({ type: 'integer', minimum, maximum }),
  isBoolean: () => ({ type: 'boolean' }),
  isIn: ([values]) => ({ type: 'string', enum: values }),
  isLaunchOptions: () => reference('LaunchOptions'),
};

/** @throws TypeError for a rule that has no row here */
export function schemaOfRule({ name = '', constraints = [] }: Rule): JsonSchema {
  const schema = SCHEMAS[name];
  if (schema === undefined) throw new TypeError(`the rule ${name} has no words in JSON Schema yet`);
  return schema(constraints);
}
