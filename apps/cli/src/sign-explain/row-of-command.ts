import { COMMAND_TYPES, isCommandType } from '#contracts';
import { validateCommand } from '#contracts/validation';
import { type Operation, OPERATIONS, requestOf } from '#platform';

import { usageError } from '../exit.ts';
import { commandFaults } from '../input/command-faults.ts';
import { readJson } from '../input/json.ts';
import { printable } from '../output/printable.ts';
import { readOwnRequestSettings } from './own-settings.ts';
import type { Row } from './read-rows.ts';

/**
 * How a worker with the settings of the environment signs a command.
 *
 * @param data JSON, `@FILE`, or `-`
 * @throws ExitError if the command is not valid, or a setting is missing
 */
export async function rowOfCommand(type: string, data: string, operator: string | undefined): Promise<Row> {
  if (!isCommandType(type) || !OPERATIONS.includes(type)) {
    throw usageError(`${printable(type)} is no command of this version: ${COMMAND_TYPES.join(', ')}`);
  }
  const given = await readData(type, data);
  const own = readOwnRequestSettings(operator);
  const { clientId, rakeParametersIn, playerCountryMember, perPage } = own;
  const pages = given as { page?: number; perPage?: number };
  const request = requestOf(
    type,
    given,
    { page: pages.page ?? 1, perPage: pages.perPage ?? perPage },
    { clientId, settings: { rakeParametersIn, playerCountryMember } },
  );
  if (!request) throw usageError(`the request of ${type} is not known to this version`);
  const { method, path, body, repeatAfterUnknown } = request;
  const sent = Object.entries(request.parameters).filter(([, value]) => value !== undefined);
  const parameters = Object.fromEntries(sent);
  const isDerived = repeatAfterUnknown === 'once' && type === 'game.open' && own.sessionId === 'derive';
  const name = `${method} ${path}`;
  return {
    given: { name, parameters },
    name,
    parameters,
    secret: own.secret,
    settings: own.settings,
    expectedSign: undefined,
    rawBody: body?.text,
    notes: isDerived
      ? [
          "without session.id a worker derives one from the command's id, and signs it, too (SESSION_ID=derive)",
        ]
      : [],
  };
}

async function readData<T extends Operation>(type: T, text: string) {
  const json = await readJson('--data', text);
  const data: unknown = JSON.parse(json);
  const faults = commandFaults(type, data);
  if (faults.length > 0) throw usageError(`--data: ${faults.join('; ')}`);
  return validateCommand(type, data);
}
