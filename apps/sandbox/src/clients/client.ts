import type { Operation } from '../operations/operation.ts';

/** Points that the interface document leaves open, as one installation of the platform decides them. */
export interface Conventions {
  /** How booleans and null are signed: `1`, empty, empty or `true`, `false`, `null`. */
  readonly scalars: 'php' | 'json';
  /** Whether open-game's query parameter `client` is signed. */
  readonly openGameClient: 'keep' | 'drop';
  /** Which strings that hold JSON are decoded before signing. */
  readonly jsonStrings: 'containers' | 'all' | 'none';
  /** Where the content of a decoded string is signed: in its place, or at the top level. */
  readonly jsonPlacement: 'in-place' | 'merge';
  /** Where names that take no part are removed: at the top level, or in nested objects too. */
  readonly exclude: 'top' | 'deep';
  /** What open-game signs: its parameters, or the bytes of its body. */
  readonly schemeV3: 'parameters' | 'raw-body';
  /** Where the form data of the rake report is expected. */
  readonly rakeParametersIn: 'form' | 'query';
  /** The name of the member of `player` that holds the country. */
  readonly playerCountryMember: string;
}

/** An operator that may call the platform. */
export interface Client {
  readonly id: string;
  /** Absent: open-game needs no signature, and the v2 endpoints cannot be used. */
  readonly secretKey?: string;
  readonly conventions: Conventions;
  /** The operations that the client may call; everything else is answered with 403. */
  readonly operations: ReadonlySet<Operation>;
}
