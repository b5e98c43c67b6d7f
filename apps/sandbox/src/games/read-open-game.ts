import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { PlatformError, type ErrorParts } from '../json-api/platform-error.ts';
import type { Parameters } from '../signature/canonical-string.ts';
import { OpenGameDocument, OpenGameSession, type OpenGamePlayer } from './open-game.ts';

/** An open-game request. */
export interface OpenGame {
  readonly session: OpenGameSession;
  readonly player: OpenGamePlayer;
  readonly country?: string;
}

/**
 * Checks the body of open-game.
 * @param countryMember the name of the player's member that holds the country
 * @throws PlatformError 422 that points to the first wrong member
 */
export function readOpenGame(body: Parameters, countryMember: string): OpenGame {
  const document = plainToInstance(OpenGameDocument, body);
  const [fault] = validateSync(document, { stopAtFirstError: true });
  if (fault) throw new PlatformError(422, describe(fault, ''));

  const { session, player } = document.data.attributes;
  const country = (player as unknown as Parameters)[countryMember] ?? undefined;
  if (country !== undefined && typeof country !== 'string')
    throw new PlatformError(422, {
      pointer: `/data/attributes/player/${countryMember}`,
      meta: { reason: `${countryMember} must be a string` },
    });
  return { session: session ?? new OpenGameSession(), player, ...(country && { country }) };
}

function describe(fault: ValidationError, at: string): ErrorParts {
  const pointer = `${at}/${fault.property}`;
  const [nested] = fault.children ?? [];
  if (nested) return describe(nested, pointer);
  const [message = 'is not valid'] = Object.values(fault.constraints ?? {});
  return fault.property === 'authType'
    ? { detail: message, pointer }
    : { pointer, meta: { reason: message } };
}
