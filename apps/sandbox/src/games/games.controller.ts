import { Controller, HttpCode, Post, UseGuards } from '@nestjs/common';

import { PlatformError } from '../interface/documents.ts';
import {
  boolean,
  integer,
  isObject,
  oneOf,
  rule,
  type Shape,
  text,
  textOf,
  violationsOf,
} from '../interface/members.ts';
import { Currencies, type PlayerDetails, Players } from '../players/players.ts';
import { AUTH_TYPES, launchUrl, PublicAddress, type Session, Sessions } from '../sessions/sessions.ts';
import type { Parameters } from '../signature/signature.ts';
import { parseJson } from '../signature/php-json.ts';
import { type Call, VerifiedCall } from '../traffic/exchange.ts';
import { SignatureGuard } from '../traffic/signature.guard.ts';

const ANY_LENGTH = Number.MAX_SAFE_INTEGER;

/** `data.attributes.session` of open-game. */
export const SESSION_MEMBERS = {
  id: textOf(1, ANY_LENGTH),
  authType: oneOf(AUTH_TYPES),
  tableId: integer(),
  lang: text,
  launchOptions: rule(
    (value) => isObject(typeof value === 'string' ? parseJson(value)?.value : value),
    'a JSON object, or a string that holds one',
  ),
  longLifeLoginToken: boolean,
  userIp: text,
};

/** `data.attributes.player`; a convention names the member of the country. */
export const PLAYER_MEMBERS = {
  id: textOf(1, ANY_LENGTH),
  nick: text,
  name: text,
  email: text,
  referredBy: text,
  referralCode: text,
  bonusCode: text,
  avatar: integer(),
  phoneNumber: text,
  tag: text,
  active: boolean,
  verified: boolean,
  trustedLevel: integer(),
  currency: text,
  preferredCurrency: text,
};

/** An open-game request; members that are null are absent. */
interface OpenGame {
  readonly session: Partial<Pick<Session, 'authType' | 'tableId' | 'lang' | 'launchOptions'>> & {
    readonly id?: string;
  };
  readonly player: Readonly<Record<string, unknown>> &
    Pick<PlayerDetails, 'nick' | 'currency' | 'preferredCurrency'> & { readonly id: string };
  readonly country?: string;
}

/**
 * Checks the body of open-game. Members that the interface does not name are tolerated.
 * @param countryMember the name of the player's member that holds the country
 * @throws PlatformError 422 that points to the first wrong member
 */
function readOpenGame(body: Parameters, countryMember: string): OpenGame {
  const object = rule(isObject, 'an object');
  const data = checked(body, { required: { data: object } }, '')['data'];
  const document = { required: { type: oneOf(['OpenGame']), attributes: object } };
  const { attributes } = checked(data, document, '/data');
  const parts = { required: { player: object }, optional: { session: object } };
  const { player, session = {} } = checked(attributes, parts, '/data/attributes');
  const { id, ...others } = PLAYER_MEMBERS;
  const shape = { required: { id }, optional: { ...others, [countryMember]: text } };
  const wanted = checked(session, { optional: SESSION_MEMBERS }, '/data/attributes/session');
  const whose = checked(player, shape, '/data/attributes/player');
  const country = whose[countryMember] as string | undefined;
  return { session: wanted, player: whose as OpenGame['player'], ...(country && { country }) };
}

/** The members of an object, without those that are null. */
function checked(value: unknown, shape: Shape, at: string): Readonly<Record<string, unknown>> {
  const [violation] = violationsOf(value, shape, { at, allowsNull: true, allowsOthers: true });
  if (!violation) {
    const members = Object.entries(value as object).filter(([, member]) => member !== null);
    return Object.fromEntries(members);
  }
  const { pointer, message } = violation;
  if (pointer.endsWith('/authType')) throw new PlatformError(422, { detail: 'Auth type not valid', pointer });
  throw new PlatformError(422, { pointer, meta: { reason: `${pointer.split('/').at(-1)} ${message}` } });
}

const PLAYER = '/data/attributes/player';

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
  open(@VerifiedCall() { client, content }: Call) {
    const game = readOpenGame(content, client.conventions.playerCountryMember);
    const { session: wanted, player } = game;
    this.currencies.check(player.currency, `${PLAYER}/currency`);
    if (player.nick) this.players.checkNickname(client.id, player.id, player.nick, `${PLAYER}/nick`);

    const session = this.sessions.open(
      {
        clientId: client.id,
        userId: player.id,
        authType: wanted.authType ?? 'external',
        lang: wanted.lang ?? 'en',
        ...(wanted.tableId !== undefined && { tableId: wanted.tableId }),
        ...(wanted.launchOptions !== undefined && { launchOptions: wanted.launchOptions }),
      },
      wanted.id,
    );
    this.players.save(client.id, player.id, detailsOf(game));
    const { sessionId, auth } = session;
    const url = launchUrl(this.address.origin, session);
    const id = `/apiweb/v3/game-sessions/${encodeURIComponent(sessionId)}`;
    return { data: { id, type: 'GameSession', attributes: { playerId: player.id, sessionId, auth, url } } };
  }
}

function detailsOf({ player, country }: OpenGame): PlayerDetails {
  const { id: _id, nick, currency, preferredCurrency, ...profile } = player;
  return {
    profile,
    ...(nick && { nick }),
    ...(currency && { currency }),
    ...(preferredCurrency && { preferredCurrency }),
    ...(country && { country }),
  };
}
