import type { Operation } from '#platform';

/** The one player of the simulation. */
export const PLAYER = 'player';

const url = 'https://lobby.example/?auth=a';
const session = {
  data: {
    type: 'session',
    id: 'a',
    attributes: { 'user-id': PLAYER, 'session-id': 's', auth: 'a', 'redirect-url': url },
  },
};
const game = {
  data: {
    type: 'GameSession',
    id: 'g',
    attributes: { playerId: PLAYER, sessionId: 's', auth: 'a', url },
  },
};

function report(type: string, page: number, pages: number): object {
  const texts = { 'user-id': PLAYER, date: '2026-01-01', currency: 'EUR' };
  return {
    data: [{ type, id: String(page), attributes: texts }],
    meta: { 'total-count': pages, 'page-count': pages, 'current-page': page, 'per-page': 1 },
  };
}

/**
 * What the platform answers to an operation if all is well.
 *
 * @param page of a report, from 1
 * @param pages of each report
 */
export function documentOf(operation: Operation, page: number, pages: number): Buffer {
  return Buffer.from(JSON.stringify(contentOf(operation, page, pages)));
}

function contentOf(operation: Operation, page: number, pages: number): object {
  switch (operation) {
    case 'session.create':
      return session;
    case 'game.open':
      return game;
    case 'report.ad-hoc.fetch':
      return report('ad-hoc-report', page, pages);
    case 'report.rake.fetch':
      return report('players-rake', page, pages);
  }
}
