import type { GameOpen } from '#contracts';
import { readLaunchOptions } from '#contracts/validation';

import type { PlatformRequest } from './platform-request.ts';

/**
 * Interface document, endpoint 2. `launchOptions` given as a string is sent as the object that it holds, and the player's
 * country under the name that the operator's settings give. Without a session id, each call opens another session.
 */
export function gameRequest(data: GameOpen, clientId: string, countryMember: string): PlatformRequest {
  const { country, ...player } = data.player;
  const { launchOptions, ...session } = data.session ?? {};
  const document = {
    data: {
      type: 'OpenGame',
      attributes: {
        session: { ...session, launchOptions: readLaunchOptions(launchOptions) },
        player: { ...player, [countryMember]: country },
      },
    },
  };
  return {
    operation: 'game.open',
    root: 'apiUrl',
    method: 'POST',
    pathTemplate: '/apiweb/v3/open-game',
    path: `/apiweb/v3/open-game?client=${encodeURIComponent(clientId)}`,
    body: { contentType: 'application/vnd.api+json', text: JSON.stringify(document) },
    parameters: { client: clientId, ...document },
    ...(session.id === undefined && { repeatAfterUnknown: 'once' }),
  };
}
