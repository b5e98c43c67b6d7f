import type { CommandData, CommandType } from '#contracts';

import { type Example, EXAMPLE_TRACE } from './example.ts';

const DAY = { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00' };

/** Commands as a caller sends them. */
export const COMMAND_EXAMPLES: { readonly [T in CommandType]: readonly Example<CommandData[T]>[] } = {
  'session.create': [
    { name: 'least', summary: 'No more than what is required', headers: {}, payload: { userId: 'player-1' } },
    {
      name: 'whole',
      summary: 'Every member, a deadline and a trace',
      headers: {
        operator: 'default',
        'x-deadline': '2026-01-31T12:00:10Z',
        'schema-version': 1,
        traceparent: EXAMPLE_TRACE,
      },
      payload: { userId: 'player-1', nick: 'Ace', authType: 'external', lang: 'en', currency: 'EUR' },
    },
  ],
  'game.open': [
    {
      name: 'lobby',
      summary: 'The lobby, in the browser',
      headers: { 'x-deadline': 1769860810000 },
      payload: {
        player: { id: 'player-1', nick: 'Ace', currency: 'EUR', country: 'DE' },
        session: { authType: 'external', lang: 'de' },
      },
    },
    {
      name: 'table',
      summary: 'A table, with a way back when the session expires',
      headers: {},
      payload: {
        player: { id: 'player-1', avatar: 7, active: true, verified: true, trustedLevel: 2 },
        session: {
          id: 'operator-session-1',
          tableId: 7,
          launchOptions: { restoreSessionUrl: 'https://operator.example/login' },
          longLifeLoginToken: false,
          userIp: '203.0.113.7',
        },
      },
    },
    {
      name: 'optionsInAString',
      summary: 'Launch options as a string of JSON',
      headers: {},
      payload: {
        player: { id: 'player-1' },
        session: { launchOptions: '{"restoreSessionUrl":"https://operator.example/login"}' },
      },
    },
  ],
  'report.ad-hoc.fetch': [
    { name: 'day', summary: 'Every page of a day', headers: {}, payload: { ...DAY, currency: 'EUR' } },
    {
      name: 'page',
      summary: 'One page, of one player',
      headers: {},
      payload: { ...DAY, userId: 'player-1', page: 2, perPage: 100 },
    },
  ],
  'report.rake.fetch': [
    {
      name: 'player',
      summary: "One player's rake, in the hours of a zone",
      headers: {},
      payload: { ...DAY, userId: 'player-1', timeZone: '+03:00', sort: '-value' },
    },
  ],
};
