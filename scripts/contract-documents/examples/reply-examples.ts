import type { CommandType, ReplyData } from '#contracts';

import { type Example, EXAMPLE_ID, EXAMPLE_TRACE } from './example.ts';

type SuccessType = Exclude<keyof ReplyData, 'command.failed'>;

const RAKE = { id: 'player-00000012-EUR', userId: 'player-00000012', currency: 'EUR' };

/** The headers of a reply. Source: bus contract, section 3. */
export function replyHeaders(type: string, sequence: number, final: boolean): Record<string, unknown> {
  return {
    'command-id': EXAMPLE_ID,
    'command-type': type,
    sequence,
    final,
    'schema-version': 1,
  };
}

/** Replies that are successes. */
export const REPLY_EXAMPLES: { readonly [T in SuccessType]: readonly Example<ReplyData[T]>[] } = {
  'session.created': [
    {
      name: 'created',
      summary: 'A session, with the trace of its command',
      headers: {
        ...replyHeaders('session.create' satisfies CommandType, 0, true),
        traceparent: EXAMPLE_TRACE,
      },
      payload: {
        userId: 'player-1',
        sessionId: '585fe9e9-36e4-4d01-9688-65b97f85199f',
        auth: 'EXAMPLE-TOKEN',
        redirectUrl: 'https://poker.example/lobby?auth=EXAMPLE-TOKEN&lang=en',
      },
    },
  ],
  'game.opened': [
    {
      name: 'table',
      summary: 'A table',
      headers: replyHeaders('game.open', 0, true),
      payload: {
        id: '/apiweb/v3/game-sessions/operator-session-1',
        playerId: 'player-1',
        sessionId: 'operator-session-1',
        auth: 'EXAMPLE-TOKEN',
        url: 'https://poker.example/table/7?auth=EXAMPLE-TOKEN&lang=en',
      },
    },
  ],
  'report.page': [
    {
      name: 'adHoc',
      summary: 'The first page of an ad hoc report; no decimals are configured for BTC',
      headers: replyHeaders('report.ad-hoc.fetch', 0, false),
      payload: {
        report: 'ad-hoc',
        page: 1,
        pageCount: 3,
        perPage: 1,
        totalCount: 3,
        precisions: { BTC: null },
        records: [
          {
            id: 'player-00000001-1-2026-03-01',
            userId: 'player-00000001',
            date: '2026-03-01',
            moneyType: 1,
            currency: 'BTC',
            win: 90_071_992,
            loss: 0,
            bets: 28_831,
            rake: 144,
            cashResult: -28_831,
            rakebackPaid: 12,
          },
        ],
      },
    },
    {
      name: 'rake',
      summary: 'The last page of a rake report: 28831 with 2 decimals is 288.31',
      headers: replyHeaders('report.rake.fetch', 1, false),
      payload: {
        report: 'rake',
        page: 2,
        pageCount: 2,
        perPage: 10,
        totalCount: 11,
        precisions: { EUR: 2 },
        records: [{ ...RAKE, value: 28_831 }],
      },
    },
  ],
  'report.completed': [
    {
      name: 'completed',
      summary: 'After two pages',
      headers: replyHeaders('report.rake.fetch', 2, true),
      payload: { report: 'rake', pages: 2, records: 11, totalCount: 11, changedWhileReading: false },
    },
    {
      name: 'empty',
      summary: 'An empty report is this reply alone',
      headers: replyHeaders('report.ad-hoc.fetch', 0, true),
      payload: { report: 'ad-hoc', pages: 0, records: 0, totalCount: 0, changedWhileReading: false },
    },
  ],
};
