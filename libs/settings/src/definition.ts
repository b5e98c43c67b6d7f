import type { PlatformSettings } from '#platform';

import type { Reader } from './readers.ts';

/** How one variable is read. */
export interface Definition<T> {
  readonly read: Reader<T>;
  /** As it would be written; `undefined` if there is none. */
  readonly default: string | undefined;
  readonly isRequired?: boolean;
  /** Whether the value may come from a file, whose path is in the variable with `_FILE` appended to its name. */
  readonly isSecret?: boolean;
  /** The member of an operator's settings that it is; absent if it is the same for all operators. */
  readonly ofOperator?: keyof PlatformSettings;
}

export const setting = <T>(read: Reader<T>, fallback: string): Definition<T> => ({ read, default: fallback });
export const optional = <T>(read: Reader<T>): Definition<T | undefined> => ({ read, default: undefined });
export const required = <T>(read: Reader<T>): Definition<T> => ({
  read,
  default: undefined,
  isRequired: true,
});
/** A setting of section 6 of the bus contract: another value may be given for an operator. */
export const ofOperator = <M extends keyof PlatformSettings>(
  member: M,
  definition: Definition<PlatformSettings[M]>,
) => ({ ...definition, ofOperator: member });
export const secret = <T>(definition: Definition<T>): Definition<T> => ({ ...definition, isSecret: true });
