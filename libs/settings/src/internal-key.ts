import { hkdfSync } from 'node:crypto';

import type { OperatorCredentials } from '#platform';

import { readOperators } from './operators.ts';
import { readSettings, readSomeSettings, type ReadText, readTextFile } from './settings.ts';

const KEY_BYTES = 32;

/**
 * The key of what workers write for each other: from `INTERNAL_KEY`, or else from the secret keys of all operators, so that
 * all workers with the same settings have the same one. Source: bus contract, sections 5 and 7.
 *
 * @returns 32 bytes; guessable if there is neither an `INTERNAL_KEY` nor any secret key
 */
export function internalKeyOf(
  internalKey: string | undefined,
  operators: readonly Pick<OperatorCredentials, 'secretKey'>[],
): Buffer {
  const secrets = operators.flatMap(({ secretKey }) => secretKey ?? []);
  const material = internalKey ?? JSON.stringify([...new Set(secrets)].toSorted());
  return Buffer.from(hkdfSync('sha256', material, '', 'poker-bridge internal key', KEY_BYTES));
}

/**
 * The same key from the environment: `INTERNAL_KEY` alone is enough; without it, the settings of the operators are read.
 *
 * @throws SettingsError with every variable that is missing or cannot be read
 */
export function readInternalKey(environment: NodeJS.ProcessEnv, readText: ReadText = readTextFile): Buffer {
  const { INTERNAL_KEY: given } = readSomeSettings(['INTERNAL_KEY'], environment, readText);
  const operators = given === undefined ? readOperators(readSettings(environment, readText), readText) : [];
  return internalKeyOf(given, operators);
}
