import { IsDefined, ValidateIf } from 'class-validator';

/**
 * The member is required.
 *
 * @param description a sentence for the documents
 */
export const MustBeGiven = (description: string): PropertyDecorator =>
  IsDefined({ message: 'must be given, and not as null', context: { description } });

/**
 * The member may be absent; unlike class-validator's `IsOptional`, `null` is refused.
 *
 * @param description a sentence for the documents
 */
export const MayBeAbsent = (description: string): PropertyDecorator =>
  ValidateIf((_object, value) => value !== undefined, { context: { description } });
