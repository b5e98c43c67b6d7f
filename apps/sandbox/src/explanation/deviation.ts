import type { Parameters } from '../signature/canonical-string.ts';

/** A usual mistake in signing: what it does differently at one step. */
export interface Deviation {
  /** What is wrong, in a sentence for the developer who made the mistake. */
  readonly reason: string;
  /** What is signed instead of the parameters; excluded names are removed from it. */
  readonly parameters?: Parameters;
  /** Names that are signed although they are excluded. */
  readonly included?: readonly string[];
  /** The order of names at a depth, from 0; default: sorted. */
  readonly order?: (names: readonly string[], depth: number) => readonly string[];
  /** How a value is written, once it is text. */
  readonly text?: (text: string) => string;
  /** How a name and its written value become a piece. */
  readonly piece?: (name: string, written: string) => string;
  /** The separator between pieces; default: nothing. */
  readonly separator?: string;
  /** How an object or a list below this depth is written; default: as its members. */
  readonly nested?: { readonly fromDepth: number; readonly write: (value: unknown) => string };
  /** How the string and the secret key become the signature. */
  readonly seal?: (canonical: string, secretKey: string) => string;
}
