import { type CommandData, CommandError, type Violation } from '#contracts';

import type { Operation } from './operations/operation.ts';
import type { PlatformSettings } from './platform-settings.ts';

type Extra = Readonly<Record<string, unknown>> | undefined;
/** Limits the answer, which would otherwise be many times longer than the command. */
const MAX_VIOLATIONS = 20;

/**
 * Refuses members beyond the interface document that the operator's settings do not allow. Source: bus
 * contract, section 2.
 *
 * @returns undefined if all are allowed
 */
export function refuseExtra<O extends Operation>(
  operation: O,
  data: CommandData[O],
  { extraMembers, playerCountryMember }: PlatformSettings,
): CommandError | undefined {
  const { extra, player, session } = data as Partial<
    CommandData['session.create'] & CommandData['game.open']
  >;
  const violations = [
    ...violationsIn(extra, ''),
    ...violationsIn(player?.extra, '/player'),
    ...violationsIn(session?.extra, '/session'),
  ];
  if (violations.length === 0) return undefined;
  return new CommandError('VALIDATION_FAILED', { violations: violations.slice(0, MAX_VIOLATIONS) });

  function violationsIn(members: Extra, at: string): Violation[] {
    return Object.keys(members ?? {}).flatMap((name) => {
      const pointer = `${at}/extra/${name}`;
      if (at === '/player' && name === playerCountryMember)
        return [{ pointer, message: 'must not be given in extra: the country is sent under this name' }];
      if (extraMembers?.has(`${operation}${at}/${name}`)) return [];
      return [{ pointer, message: 'must be a member that PLATFORM_EXTRA_MEMBERS allows' }];
    });
  }
}
