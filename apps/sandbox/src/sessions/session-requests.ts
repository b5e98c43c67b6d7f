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
import { parseJson } from '../signature/php-json.ts';
import type { Parameters } from '../signature/signature.ts';
import { AUTH_TYPES } from './sessions.ts';

export const ATTRIBUTES = '/data/attributes';
const ID = textOf(1, Number.MAX_SAFE_INTEGER);
const AUTH_TYPE = optional(oneOf(AUTH_TYPES), 'external');

/** The form of session creation; `userId` is compared with the path before. */
const FORM = {
  nick: optional(text),
  authType: AUTH_TYPE,
  lang: optional(textOf(2, 2, /^[a-z]+$/i), 'en'),
  currency: optional(text),
};

/** `data.attributes.session` of open-game. */
export const SESSION_MEMBERS = {
  id: optional(ID),
  authType: AUTH_TYPE,
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

/** Reads the form of session creation. @throws PlatformError 422 that points to the first wrong parameter */
export function readSessionForm(form: Parameters) {
  return read(form, FORM, ATTRIBUTES);
}

/**
 * Reads the body of open-game. Members that the interface does not name are tolerated.
 * @throws PlatformError 422 that points to the first wrong member
 */
export function readOpenGame(body: Parameters, countryMember: string) {
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
  return readMembers(value, shape, { at, isTolerant: true }, ([{ pointer, message }]) => {
    const name = pointer.split('/').at(-1);
    if (name === 'authType') return new PlatformError(422, { detail: 'Auth type not valid', pointer });
    return new PlatformError(422, { pointer, meta: { reason: `${name} ${message}` } });
  });
}
