import { IsDefined, ValidateIf } from 'class-validator';

/** The member is required. */
export const MustBeGiven = (): PropertyDecorator => IsDefined({ message: 'must be given, and not as null' });

/** The member may be absent; unlike class-validator's `IsOptional`, `null` is refused. */
export const MayBeAbsent = (): PropertyDecorator => ValidateIf((_object, value) => value !== undefined);
