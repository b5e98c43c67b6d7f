import type { CommandType } from '#contracts';

/** One command of the demo, and the type or code that must come back. */
export interface Scene {
  readonly title: string;
  readonly type: CommandType;
  readonly data: Readonly<Record<string, unknown>>;
  /** The type of the final reply, or the code of the error. */
  readonly expected: string;
}

/** The players that the sandbox knows from the start. */
export const PLAYERS = [{ userId: 'alice' }, { userId: 'bob' }];

const PERIOD = { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00' };

/** One of each command, and three that must fail. */
export const STORY: readonly Scene[] = [
  {
    title: 'A session for Alice',
    type: 'session.create',
    data: { userId: 'alice', nick: 'Ace', lang: 'en', currency: 'EUR' },
    expected: 'session.created',
  },
  {
    title: 'The lobby, in the browser',
    type: 'game.open',
    data: { player: { id: 'alice' }, session: { authType: 'external', lang: 'de' } },
    expected: 'game.opened',
  },
  {
    title: 'Table 7, with a way back',
    type: 'game.open',
    data: {
      player: { id: 'alice' },
      session: { tableId: 7, launchOptions: { restoreSessionUrl: 'https://operator.example/login' } },
    },
    expected: 'game.opened',
  },
  {
    title: 'The ad hoc report, page by page',
    type: 'report.ad-hoc.fetch',
    data: { ...PERIOD, perPage: 10 },
    expected: 'report.completed',
  },
  {
    title: 'The rake of one player',
    type: 'report.rake.fetch',
    data: { ...PERIOD, userId: 'player-00000001', timeZone: '+03:00', perPage: 10 },
    expected: 'report.completed',
  },
  {
    title: 'A nickname that is taken',
    type: 'game.open',
    data: { player: { id: 'bob', nick: 'Ace' } },
    expected: 'NICKNAME_TAKEN',
  },
  {
    title: 'A player whom nobody knows',
    type: 'session.create',
    data: { userId: 'nobody' },
    expected: 'PLAYER_NOT_FOUND',
  },
  {
    title: 'Data that breaks the contract',
    type: 'session.create',
    data: { userId: 'alice', lang: 'english', password: 'secret' },
    expected: 'VALIDATION_FAILED',
  },
];
