import { IsDefined, ValidateIf } from 'class-validator';

/**
 * The member is required.
 *
 * @param description what it is for, in a sentence: the documents have it from here
 */
export const MustBeGiven = (description: string): PropertyDecorator =>
  IsDefined({ message: 'must be given, and not as null', context: { description } });

/**
 * The member may be absent; unlike class-validator's `IsOptional`, `null` is refused.
 *
 * @param description what it is for, in a sentence: the documents have it from here
 */
export const MayBeAbsent = (description: string): PropertyDecorator =>
  ValidateIf((_object, value) => value !== undefined, { context: { description } });
