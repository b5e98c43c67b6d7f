import type { ServerResponse } from 'node:http';

import {
  answerJson,
  type PlatformBehaviour,
  type PlatformRequest,
  sessionDocument,
} from './platform-stub.ts';

/** The period of a report, as a command contains it. `PAGED_DAY` requests pages of one record. */
export const DAY = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };
export const PAGED_DAY = { ...DAY, perPage: 1 };

/** The amounts of an ad hoc record. Source: interface document, "Ad hoc report record". */
const AD_HOC_AMOUNTS =
  'win loss deposit withdraw bets rake jackpot tournament-fee tournament-bet tournament-prize cash-result tournament-result ticket-fee ticket-bet slot-credit slot-debit rakeback rakeback-paid rakeback-unpaid rabbit-hunting'.split(
    ' ',
  );

/** Returns the attributes of an ad hoc record, whose amounts are consecutive numbers. */
export function adHocAttributes(userId: string, firstAmount = 1) {
  const amounts = AD_HOC_AMOUNTS.map((name, place) => [name, firstAmount + place]);
  return {
    'user-id': userId,
    date: '2026-01-01',
    'money-type': 1,
    currency: 'USD',
    ...(Object.fromEntries(amounts) as Record<string, number>),
  };
}

/** Returns the player of a request; `undefined` for a report on all players. */
export function playerOf({ url, body }: PlatformRequest): string | undefined {
  const [, user] = /\/users\/([^/]+)\/session$/.exec(url.pathname) ?? [];
  if (user !== undefined) return decodeURIComponent(user);
  if (!url.pathname.endsWith('/open-game')) return undefined;
  const document = JSON.parse(body) as { data: { attributes: { player: { id: string } } } };
  return document.data.attributes.player.id;
}

/** A healthy platform: accepts every session and every game, and returns reports of `records` records. */
export function healthy(records = 0): PlatformBehaviour {
  return (request, response) => answerJson(response, 200, documentOf(request, records));
}

/** Returns the document with which a healthy platform answers; its tokens begin with `auth-`. */
export function documentOf(request: PlatformRequest, records: number): object {
  const player = playerOf(request);
  if (player === undefined) return reportDocument(request, records);
  if (!request.url.pathname.endsWith('/open-game')) return sessionDocument(player);
  const { data } = JSON.parse(request.body) as { data: { attributes: { session?: { id?: string } } } };
  return gameDocument(player, data.attributes.session?.id);
}

export const silent: PlatformBehaviour = () => undefined;

/** Starts an answer that never ends. */
export const dripping: PlatformBehaviour = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/vnd.api+json' });
  const timer = setInterval(() => response.write(' '), 50);
  response.on('close', () => clearInterval(timer));
};

export const unavailable: PlatformBehaviour = (_request, response) =>
  answerJson(response, 503, { errors: [] });

/** Holds every request until the gate is opened, for one request or for all. */
export class Gate {
  readonly #held: (() => void)[] = [];
  #isOpen = false;

  get held(): number {
    return this.#held.length;
  }

  behind(behaviour: PlatformBehaviour): PlatformBehaviour {
    return (request, response: ServerResponse, socket) => {
      const go = (): void => void behaviour(request, response, socket);
      if (this.#isOpen) go();
      else this.#held.push(go);
    };
  }

  /** Waiting requests are never answered. */
  forget(): void {
    this.#held.length = 0;
  }

  open(): void {
    this.#isOpen = true;
    for (const go of this.#held.splice(0)) go();
  }
}

export function gameDocument(playerId: string, sessionId = `session-${playerId}`): object {
  const auth = `auth-${playerId}`;
  const attributes = { playerId, sessionId, auth, url: `https://lobby.example/?auth=${auth}` };
  return { data: { type: 'GameSession', id: `/games/${playerId}`, attributes } };
}

/** Returns one page of a report whose records are numbered from 1. */
function reportDocument({ url }: PlatformRequest, records: number): object {
  const page = Number(url.searchParams.get('page'));
  const perPage = Number(url.searchParams.get('per-page'));
  const first = (page - 1) * perPage + 1;
  const count = Math.max(0, Math.min(perPage, records - first + 1));
  const isRake = url.pathname.endsWith('/rake');
  return {
    data: Array.from({ length: count }, (_, index) => {
      const userId = `u-${first + index}`;
      return {
        type: isRake ? 'players-rake' : 'ad-hoc-report',
        id: String(first + index),
        attributes: isRake ? { 'user-id': userId, currency: 'USD', value: 1 } : adHocAttributes(userId),
      };
    }),
    links: { self: { href: String(url) } },
    meta: {
      'total-count': records,
      'page-count': Math.ceil(records / perPage),
      'current-page': page,
      'per-page': perPage,
    },
  };
}
