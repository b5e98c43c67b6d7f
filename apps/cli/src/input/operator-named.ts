import type { OperatorCredentials } from '#platform';
import { readOperators, type Settings } from '#settings';

import { usageError } from '../exit.ts';
import { printable } from '../output/printable.ts';

/**
 * The credentials under a name.
 *
 * @throws SettingsError if they cannot be read
 * @throws ExitError if there are none, with the names that there are
 */
export function operatorNamed(name: string, settings: Settings): OperatorCredentials {
  const operators = readOperators(settings);
  const found = operators.find((each) => each.name === name);
  if (found) return found;
  const names = operators.map((each) => each.name).join(', ');
  throw usageError(`there is no operator ${printable(name)}: ${names}`);
}
