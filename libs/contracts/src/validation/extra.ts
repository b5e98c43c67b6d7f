import { LAUNCH_OPTIONS, launchOptionsFault, type LaunchOptions } from './launch-options.ts';
import { isObject, isText, type MemberFault, nameInPointer, ruleOfFaults, TEXT } from './member-rules.ts';
import type { Rule } from './shape.ts';

type Scalar = string | number | boolean;
/** Members that a platform accepts beyond its interface document. Source: bus contract, section 2. */
export type ExtraMembers = Readonly<Record<string, Scalar>>;
/** The same for `session.create`, where `launchOptions` may be an object. */
export type ExtraSessionMembers = Readonly<Record<string, Scalar | LaunchOptions>>;

/** Names that `PLATFORM_EXTRA_MEMBERS` can allow. */
export const EXTRA_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,99}$/;
const SCALAR = {
  ...TEXT,
  type: ['string', 'integer', 'boolean'],
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
};
const WRONG_SCALAR = 'must be a string of at most 255 characters, an integer, true or false';

/** Extra members, whose names must differ from the members of the document. */
export const IsExtra = (ofDocument: readonly string[]): Rule<ExtraMembers> =>
  extra(ofDocument, { additionalProperties: SCALAR }, scalarFault);

/** The same for `session.create`. */
export const IsExtraOfSession = (ofDocument: readonly string[]): Rule<ExtraSessionMembers> => {
  // A separate property for launchOptions would hide the others from many generators.
  const { type, maxLength } = LAUNCH_OPTIONS;
  const schema = { additionalProperties: { ...SCALAR, type: [...SCALAR.type, type[0]], maxLength } };
  return extra(ofDocument, schema, (value, name) =>
    name === 'launchOptions' ? launchOptionsFault(value) : scalarFault(value),
  );
};

function extra<T>(
  ofDocument: readonly string[],
  schema: object,
  valueFault: (value: unknown, name: string) => MemberFault | undefined,
): Rule<T> {
  const propertyNames = { pattern: EXTRA_NAME.source, not: { enum: ofDocument } };
  return ruleOfFaults('isExtra', { type: 'object', propertyNames, ...schema }, (value) => {
    if (!isObject(value)) return { message: 'must be an object' };
    for (const [name, held] of Object.entries(value)) {
      const fault = nameFault(name, ofDocument) ?? valueFault(held, name);
      if (fault) return { ...fault, below: `/${nameInPointer(name)}${fault.below ?? ''}` };
    }
    return undefined;
  });
}

function nameFault(name: string, ofDocument: readonly string[]): MemberFault | undefined {
  if (ofDocument.includes(name))
    return { message: 'must not be given in extra: the interface document has a member of this name' };
  return EXTRA_NAME.test(name)
    ? undefined
    : { message: 'must be named by a letter and up to 99 letters, digits, hyphens and underscores' };
}

function scalarFault(value: unknown): MemberFault | undefined {
  const isScalar = isText(value) || Number.isSafeInteger(value) || typeof value === 'boolean';
  return isScalar ? undefined : { message: WRONG_SCALAR };
}
