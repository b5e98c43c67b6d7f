import { readLaunchOptions } from '#contracts/validation';

import { inTurn } from '../answers/cooperative-task.ts';
import { resourceIn, UnexpectedDocument } from '../answers/document.ts';
import { ATTRIBUTES, idAt, LAUNCH, NOBODY, playerTextAt, playerUrlAt, UNKNOWN_AUTH_TYPE } from './launch.ts';
import type { OperationDefinition } from './operation.ts';
import { sessionIdOf } from './session-id.ts';

/** Launch options whose signature depends on the settings: strings of JSON, an excluded name, a boolean. */
const DOUBTFUL_OPTIONS = { a: '["x"]', y: { page: '7', z: true }, z: '"y"' };

/** Opens a game for a player. A repeated call opens the same session if the call names one. */
export const gameOpen: OperationDefinition<'game.open'> = {
  ...LAUNCH,
  repeatAfterUnknown: 'freely',

  complete: ({ player, session }, command, { sessionId }) => {
    const id = session?.id ?? (sessionId === 'omit' ? undefined : sessionIdOf(command));
    return { player, session: { ...session, id } };
  },

  // `launchOptions` given as a JSON string is sent as the decoded object, and the player's country under the
  // name in the operator's settings. Without a session id, each call opens another session.
  request: ({ player, session = {} }, { clientId, settings }) => {
    const { country, extra: extraOfPlayer, ...ofPlayer } = player;
    const { launchOptions, extra: extraOfSession, ...ofSession } = session;
    const attributes = {
      session: { ...extraOfSession, ...ofSession, launchOptions: readLaunchOptions(launchOptions) },
      player: { ...extraOfPlayer, ...ofPlayer, [settings.playerCountryMember]: country },
    };
    return {
      method: 'POST',
      pathTemplate: '/apiweb/v3/open-game',
      query: { client: settings.clientKey ?? clientId },
      document: { data: { type: 'OpenGame', attributes } },
      ...(session.id === undefined && { repeatAfterUnknown: 'once' }),
    };
  },

  read: inTurn((body, { apiUrl, settings }, { player }) => {
    const { data, attributes } = resourceIn(body, 'GameSession');
    // The interface document calls this the external player ID, which the operator assigns.
    if (idAt(attributes, 'playerId', player.id) !== player.id) {
      throw new UnexpectedDocument(`${ATTRIBUTES}/playerId is another player than the one asked for`);
    }
    return {
      id: playerTextAt(data, 'id', undefined, '/data'),
      playerId: player.id,
      sessionId: idAt(attributes, 'sessionId'),
      auth: playerTextAt(attributes, 'auth'),
      url: playerUrlAt(attributes, 'url', apiUrl, settings),
    };
  }),

  errors: [],

  harmless: () => ({
    player: { id: NOBODY, currency: NOBODY },
    session: { authType: UNKNOWN_AUTH_TYPE, launchOptions: DOUBTFUL_OPTIONS },
  }),
};
