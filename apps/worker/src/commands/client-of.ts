import { CommandError } from '#contracts';
import type { CommandContext } from '#messaging';
import type { PlatformClient, PlatformClients } from '#platform';

/** The platform client of a command's operator. @throws CommandError `UNKNOWN_OPERATOR` if there is none */
export function clientOf(platform: PlatformClients, { operator }: CommandContext): PlatformClient {
  const client = platform.get(operator);
  if (!client) throw new CommandError('UNKNOWN_OPERATOR');
  return client;
}
