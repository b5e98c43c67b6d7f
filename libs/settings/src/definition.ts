import type { Reader } from './readers.ts';

/** How one variable is read. */
export interface Definition<T> {
  readonly read: Reader<T>;
  /** As it would be written; `undefined` if there is none. */
  readonly default: string | undefined;
  readonly isRequired?: boolean;
  /** Whether the value may come from a file, whose path is in the variable with `_FILE` appended to its name. */
  readonly isSecret?: boolean;
}

export const setting = <T>(read: Reader<T>, fallback: string): Definition<T> => ({ read, default: fallback });
export const optional = <T>(read: Reader<T>): Definition<T | undefined> => ({ read, default: undefined });
export const required = <T>(read: Reader<T>): Definition<T> => ({
  read,
  default: undefined,
  isRequired: true,
});
export const secret = <T>(definition: Definition<T>): Definition<T> => ({ ...definition, isSecret: true });
