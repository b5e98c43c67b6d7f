import type { Dispatcher } from 'undici';

import type { AdHocReportFetch, CommandData, ExtraSessionMembers } from '#contracts';
import { readLaunchOptions } from '#contracts/validation';
import type { RepeatAfterUnknown } from '#resilience';
import { sign, type SignedParameters } from '#signing';

import type { Operation } from './operations.ts';
import type { OperatorCredentials, PlatformSettings } from './platform-settings.ts';
import type { Root } from './transport/connections.ts';

/** Names and values of a path, a query or a form; `undefined` is absent. */
type Fields = Readonly<Record<string, string | undefined>>;

/** What the interface document shows of a request. */
interface RequestParts {
  readonly method: 'GET' | 'POST';
  /** With names in braces in place of values. */
  readonly pathTemplate: string;
  readonly path?: Fields;
  readonly query: Fields;
  /** Of the v2 endpoints. */
  readonly form?: Fields;
  /** Of open-game. */
  readonly document?: object;
  /** Default: that of its operation. */
  readonly repeatAfterUnknown?: RepeatAfterUnknown;
}

/** One request of the interface document, complete but for its signature. */
export type PlatformRequest = ReturnType<typeof requestOf>;

/** Who sends a request, and what the interface document leaves open about it. */
type Sender = Pick<OperatorCredentials, 'clientId'> & {
  readonly settings: Pick<PlatformSettings, 'rakeParametersIn' | 'playerCountryMember' | 'clientKey'>;
};

/** Which page of a report; from 1. */
export interface PageRequest {
  readonly page: number;
  readonly perPage: number;
}

/** The four endpoints of the interface document. */
const REQUESTS: {
  readonly [O in Operation]: (data: CommandData[O], sender: Sender, page?: PageRequest) => RequestParts;
} = {
  // `userId` is sent in the path and in the form, and signed once.
  'session.create': ({ userId, nick, authType, lang, currency, extra }, { clientId }) => ({
    method: 'POST',
    pathTemplate: '/v2/app/users/{userId}/session',
    path: { userId },
    query: { clientId },
    form: { ...textsOf(extra), userId, nick, authType, lang, currency },
  }),
  // `launchOptions` given as a string is sent as the object that it holds, and the player's country under the name that the
  // operator's settings give. Without a session id, each call opens another session.
  'game.open': ({ player, session = {} }, { clientId, settings }) => {
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
  'report.ad-hoc.fetch': (data, { clientId }, page) => ({
    method: 'POST',
    pathTemplate: '/v2/app/reports/ad_hoc',
    query: { clientId, ...paginationOf(page) },
    form: periodOf(data),
  }),
  // A GET with its form data in the body, in the query or in both, as the operator's settings say.
  'report.rake.fetch': (data, { clientId, settings }, page) => {
    const { timeZone, convertToPreferredCurrency, sort } = data;
    const query = { clientId, ...paginationOf(page), timeZone, convertToPreferredCurrency, sort };
    const form = periodOf(data);
    return {
      method: 'GET',
      pathTemplate: '/v2/app/users/rake',
      query: settings.rakeParametersIn === 'form' ? query : { ...query, ...form },
      ...(settings.rakeParametersIn !== 'query' && { form }),
    };
  },
};

/** The request of a command with valid data, without its signature. @param page of a report; default: what the platform takes */
export function requestOf<O extends Operation>(
  operation: O,
  data: CommandData[O],
  sender: Sender,
  page?: PageRequest,
) {
  const parts = REQUESTS[operation](data, sender, page);
  const { method, pathTemplate, path = {}, query, form, document } = parts;
  let target = pathTemplate;
  for (const name in path) target = target.replace(`{${name}}`, encodeURIComponent(path[name] ?? ''));
  return {
    method,
    repeatAfterUnknown: parts.repeatAfterUnknown,
    /** The root of the operator that its path is relative to: `baseUrl` of the v2 endpoints, `apiUrl` of open-game. */
    root: document ? ('apiUrl' as const) : ('baseUrl' as const),
    pathTemplate,
    /** With its query, percent-encoded. */
    path: `${target}?${encodeFields(query)}`,
    body: document
      ? { contentType: 'application/vnd.api+json', text: JSON.stringify(document) }
      : form && { contentType: 'application/x-www-form-urlencoded', text: encodeFields(form) },
    /** From path, query and body, decoded: what is signed. */
    parameters: { ...query, ...path, ...form, ...document } as SignedParameters,
  };
}

/** Members as a form carries them. `launchOptions` is JSON. */
function textsOf(members: ExtraSessionMembers = {}): Fields {
  const texts = Object.entries(members).map(([name, value]) => {
    const options = name === 'launchOptions' ? readLaunchOptions(value) : undefined;
    return [name, typeof value === 'string' && !options ? value : JSON.stringify(options ?? value)] as const;
  });
  return Object.fromEntries(texts);
}

function paginationOf(asked?: PageRequest): Fields {
  return asked ? { 'per-page': String(asked.perPage), page: String(asked.page) } : {};
}

function periodOf({ userId, currency, dateFrom, dateTo }: AdHocReportFetch): Fields {
  return { userId, currency, dateFrom, dateTo };
}

/** A request as undici takes it, with its signature: an operator without a secret key opens games without one. */
export function signedOptions(
  { root, method, path, body, parameters }: PlatformRequest,
  { secretKey, settings }: OperatorCredentials,
  { connections: { route }, prefix }: Root,
): Dispatcher.DispatchOptions {
  const signed = { parameters, body: root === 'apiUrl' ? body?.text : undefined };
  return {
    origin: route.origin,
    method,
    path: prefix + path,
    headers: {
      accept: 'application/vnd.api+json',
      'user-agent': settings.userAgent,
      'content-type': body?.contentType,
      sign: secretKey === undefined ? undefined : sign(signed, secretKey, settings),
      ...route.headers,
    },
    body: body?.text ?? null,
    // undici would close the connection after a GET with a body.
    reset: false,
    // No other request waits for its connection.
    blocking: false,
  };
}

/** Encodes values as `name=value&…`; a space is `%20` and a plus `%2B`, which every decoder reads alike. */
function encodeFields(fields: Fields): string {
  let text = '';
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined) text += `${text && '&'}${name}=${encodeURIComponent(value)}`;
  }
  return text;
}
