import { Controller, HttpCode, Post, UseGuards } from '@nestjs/common';

import { PlatformError } from '../interface/documents.ts';
import {
  boolean,
  integer,
  isObject,
  member,
  object,
  oneOf,
  optional,
  readMembers,
  type Shape,
  text,
  textOf,
} from '../interface/members.ts';
import { Currencies, Players } from '../players/players.ts';
import { AUTH_TYPES, launchUrl, PublicAddress, Sessions } from '../sessions/sessions.ts';
import type { Parameters } from '../signature/signature.ts';
import { parseJson } from '../signature/php-json.ts';
import { type Call, VerifiedCall } from '../traffic/exchange.ts';
import { SignatureGuard } from '../traffic/signature.guard.ts';

const ID = textOf(1, Number.MAX_SAFE_INTEGER);
const ATTRIBUTES = '/data/attributes';

/** `data.attributes.session` of open-game. */
export const SESSION_MEMBERS = {
  id: optional(ID),
  authType: optional(oneOf(AUTH_TYPES), 'external'),
  tableId: optional(integer()),
  lang: optional(text, 'en'),
  launchOptions: optional(
    member<unknown>('a JSON object, or a string that holds one', (value) =>
      isObject(typeof value === 'string' ? parseJson(value)?.value : value),
    ),
  ),
  longLifeLoginToken: optional(boolean),
  userIp: optional(text),
};

/** `data.attributes.player`; a convention names the member of the country. */
export const PLAYER_MEMBERS = {
  id: ID,
  nick: optional(text),
  name: optional(text),
  email: optional(text),
  referredBy: optional(text),
  referralCode: optional(text),
  bonusCode: optional(text),
  avatar: optional(integer()),
  phoneNumber: optional(text),
  tag: optional(text),
  active: optional(boolean),
  verified: optional(boolean),
  trustedLevel: optional(integer()),
  currency: optional(text),
  preferredCurrency: optional(text),
};

/** Opening the lobby or a table (interface document, endpoint 2). An unknown player is created. */
@Controller('apiweb/v3')
@UseGuards(SignatureGuard)
export class GamesController {
  constructor(
    private readonly players: Players,
    private readonly sessions: Sessions,
    private readonly currencies: Currencies,
    private readonly address: PublicAddress,
  ) {}

  @Post('open-game')
  @HttpCode(200)
  open(@VerifiedCall() { client, content }: Call<Parameters>) {
    const { playerCountryMember } = client.conventions;
    const { wanted, player } = readOpenGame(content, playerCountryMember);
    const { id: userId, nick, currency, preferredCurrency, ...profile } = player;
    this.currencies.check(currency, `${ATTRIBUTES}/player/currency`);
    if (nick) this.players.checkNickname(client.id, userId, nick, `${ATTRIBUTES}/player/nick`);

    const { id: wantedId, authType, lang, tableId, launchOptions } = wanted;
    const place = { authType, lang, tableId, launchOptions };
    const session = this.sessions.open({ clientId: client.id, userId, ...place }, wantedId);
    const country = (profile as Parameters)[playerCountryMember] as string | undefined;
    this.players.save(client.id, userId, { nick, currency, preferredCurrency, country, profile });
    const { sessionId, auth } = session;
    const url = launchUrl(this.address.origin, session);
    const id = `/apiweb/v3/game-sessions/${encodeURIComponent(sessionId)}`;
    return { data: { id, type: 'GameSession', attributes: { playerId: userId, sessionId, auth, url } } };
  }
}

/**
 * Reads the body of open-game. Members that the interface does not name are tolerated.
 * @throws PlatformError 422 that points to the first wrong member
 */
function readOpenGame(body: Parameters, countryMember: string) {
  const { data } = read(body, { data: object }, '');
  const { attributes } = read(data, { type: oneOf(['OpenGame']), attributes: object }, '/data');
  const parts = read(attributes, { player: object, session: optional(object, {}) }, ATTRIBUTES);
  const playerMembers = { ...PLAYER_MEMBERS, [countryMember]: optional(text) };
  return {
    wanted: read(parts.session, SESSION_MEMBERS, `${ATTRIBUTES}/session`),
    player: read(parts.player, playerMembers, `${ATTRIBUTES}/player`),
  };
}

function read<S extends Shape>(value: unknown, shape: S, at: string) {
  return readMembers(
    value,
    shape,
    ([{ pointer, message }]) => {
      const name = pointer.split('/').at(-1);
      if (name === 'authType') return new PlatformError(422, { detail: 'Auth type not valid', pointer });
      return new PlatformError(422, { pointer, meta: { reason: `${name} ${message}` } });
    },
    { at, isTolerant: true },
  );
}
