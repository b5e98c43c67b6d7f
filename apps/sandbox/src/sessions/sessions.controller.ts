import { Controller, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { PlatformError } from '../interface/documents.ts';
import {
  boolean,
  integer,
  member,
  object,
  oneOf,
  optional,
  readMembers,
  type Shape,
  text,
  textOf,
} from '../interface/members.ts';
import { ownUserId } from '../interface/real-profile.ts';
import { checkCurrency, type PlayerDetails, Players } from '../players/players.ts';
import type { Conventions } from '../settings/clients.ts';
import { Settings } from '../settings/settings.ts';
import type { Parameters } from '../signature/signature.ts';
import { type Call, VerifiedCall } from '../traffic/exchange.ts';
import { SignatureGuard } from '../traffic/signature.guard.ts';
import { AUTH_TYPES, launchUrl, optionsIn, type SessionRequest, Sessions } from './sessions.ts';

const ATTRIBUTES = '/data/attributes';
const ID = textOf(1, Number.MAX_SAFE_INTEGER);
const AUTH_TYPE = optional(oneOf(AUTH_TYPES), 'external');
const OWN_IDS = 'sessions get their ids from the platform (SESSION_ID=omit)';
const hasOptions = (value: unknown) => optionsIn(value) !== undefined;

/** The form of session creation. `userId` has already been compared with the path. */
const FORM = {
  nick: optional(text),
  authType: AUTH_TYPE,
  lang: optional(textOf(2, 2, /^[a-z]+$/i), 'en'),
  currency: optional(text),
  launchOptions: optional(member<unknown>('JSON that holds an object', hasOptions)),
};

/** `data.attributes.session` of open-game. */
export const SESSION_MEMBERS = {
  id: optional(ID),
  authType: AUTH_TYPE,
  tableId: optional(integer()),
  lang: optional(text, 'en'),
  launchOptions: optional(member<unknown>('a JSON object, or a string that holds one', hasOptions)),
  longLifeLoginToken: optional(boolean),
  userIp: optional(text),
};

/** `data.attributes.player`. A convention sets the name of the country member. */
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

/** Session creation and open-game (interface document, endpoints 1 and 2). */
@Controller()
@UseGuards(SignatureGuard)
export class SessionsController {
  constructor(
    private readonly settings: Settings,
    private readonly players: Players,
    private readonly sessions: Sessions,
  ) {}

  @Post('api/web/v2/app/users/:userId/session')
  @HttpCode(200)
  createSession(@VerifiedCall() { client, content, fault }: Call, @Param('userId') userId: string) {
    const { authType, lang, nick, currency, launchOptions } = read(content, FORM, ATTRIBUTES);
    if (this.settings.unknownPlayers === 'refuse' && !this.players.find(client.id, userId))
      throw new PlatformError(404, { detail: 'Player not found' });
    const request = { clientId: client.id, userId, authType, lang, launchOptions };
    const { sessionId, auth, url } = this.open(request, { nick, currency }, ATTRIBUTES);
    const named = this.settings.profile === 'real' ? String(ownUserId(userId)) : userId;
    const attributes = {
      'user-id': fault?.kind === 'other-user-id' ? otherUserId(userId, fault.as) : named,
      'redirect-url': url,
      auth,
      'session-id': sessionId,
    };
    return { data: { id: auth, type: 'session', attributes } };
  }

  /** Opens the lobby or a table. An unknown player is created. */
  @Post('apiweb/v3/open-game')
  @HttpCode(200)
  openGame(@VerifiedCall() { client, content }: Call<Parameters>) {
    const { playerCountryMember } = client.conventions;
    const { wanted, player } = readOpenGame(content, client.conventions);
    const { id: userId, nick, currency, preferredCurrency, ...profile } = player;
    const { id: wantedId, authType, lang, tableId, launchOptions } = wanted;
    const request = { clientId: client.id, userId, authType, lang, tableId, launchOptions };
    const country = (profile as Parameters)[playerCountryMember] as string | undefined;
    const details = { nick, currency, preferredCurrency, country, profile };
    const { sessionId, auth, url } = this.open(request, details, `${ATTRIBUTES}/player`, wantedId);
    const id = `/apiweb/v3/game-sessions/${encodeURIComponent(sessionId)}`;
    return { data: { id, type: 'GameSession', attributes: { playerId: userId, sessionId, auth, url } } };
  }

  /** Opens a session and saves its player, unless the currency, nickname or session id is rejected. */
  private open(request: SessionRequest, player: PlayerDetails, at: string, sessionId?: string) {
    const { clientId, userId } = request;
    checkCurrency(this.settings.currencies, player.currency, `${at}/currency`);
    if (player.nick) this.players.checkNickname(clientId, userId, player.nick, `${at}/nick`);
    const session = this.sessions.open(request, sessionId);
    this.players.save(clientId, userId, player);
    return { ...session, url: launchUrl(this.settings.publicUrl, session) };
  }
}

function readOpenGame(body: Parameters, { playerCountryMember, sessionId }: Conventions) {
  const { data } = read(body, { data: object }, '');
  const { attributes } = read(data, { type: oneOf(['OpenGame']), attributes: object }, '/data');
  const parts = read(attributes, { player: object, session: optional(object, {}) }, ATTRIBUTES);
  if (sessionId === 'omit' && 'id' in parts.session)
    throw new PlatformError(422, { pointer: `${ATTRIBUTES}/session/id`, meta: { reason: OWN_IDS } });
  const playerMembers = { ...PLAYER_MEMBERS, [playerCountryMember]: optional(text) };
  return {
    wanted: read(parts.session, SESSION_MEMBERS, `${ATTRIBUTES}/session`),
    player: read(parts.player, playerMembers, `${ATTRIBUTES}/player`),
  };
}

/**
 * Reads a form or a part of a body, and ignores members that the interface does not name.
 * @throws PlatformError 422 that points to the first invalid member
 */
function read<S extends Shape>(value: unknown, shape: S, at: string) {
  return readMembers(value, shape, { at, isTolerant: true }, ([{ pointer, message }]) => {
    const name = pointer.split('/').at(-1);
    if (name === 'authType') return new PlatformError(422, { detail: 'Auth type not valid', pointer });
    return new PlatformError(422, { pointer, meta: { reason: `${name} ${message}` } });
  });
}

/** Returns a user id as some platforms write it: an id of their own, a number, or in another case. */
function otherUserId(userId: string, as: 'own' | 'integer' | 'case'): string | number {
  if (as === 'own') return `platform-${userId}`;
  if (as === 'integer') return Number.isSafeInteger(Number(userId)) ? Number(userId) : 4711;
  const capitals = userId.toUpperCase();
  return capitals === userId ? userId.toLowerCase() : capitals;
}
