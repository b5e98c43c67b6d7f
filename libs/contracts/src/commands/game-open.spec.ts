import { describe, expect, it } from '@jest/globals';

import {
  AUTH_TYPE,
  BOOLEAN,
  describeMembers,
  INTEGER,
  LANGUAGE_TAG,
  OBJECT,
  PLAYER_ID,
  TEXT,
} from './member-kinds.fixture.ts';
import { GameOpen, GamePlayer, GameSession } from './game-open.ts';
import { COMPLETE, pointersOf } from './validate-command.fixture.ts';
import { validateCommand } from './validate-command.ts';

describeMembers('game.open', {
  'player!': OBJECT,
  'player.id!': PLAYER_ID,
  'player.nick': TEXT,
  'player.name': TEXT,
  'player.email': TEXT,
  'player.referredBy': TEXT,
  'player.referralCode': TEXT,
  'player.bonusCode': TEXT,
  'player.avatar': INTEGER,
  'player.phoneNumber': TEXT,
  'player.tag': TEXT,
  'player.active': BOOLEAN,
  'player.verified': BOOLEAN,
  'player.trustedLevel': INTEGER,
  'player.currency': TEXT,
  'player.preferredCurrency': TEXT,
  'player.country': TEXT,
  session: OBJECT,
  'session.id': TEXT,
  'session.authType': AUTH_TYPE,
  'session.tableId': INTEGER,
  'session.lang': LANGUAGE_TAG,
  'session.launchOptions': {
    valid: [
      {},
      '{}',
      { restoreSessionUrl: 'https://example.com' },
      '{"restoreSessionUrl":"https://example.com"}',
    ],
    invalid: [0, true, [], '', 'a', '[]', 'null', '"{}"', '{', { level: 1.5 }],
  },
  'session.longLifeLoginToken': BOOLEAN,
  'session.userIp': TEXT,
});

describe('game.open', () => {
  it('consists of instances of its classes', () => {
    const game = validateCommand('game.open', COMPLETE['game.open']);
    expect([game, game.player, game.session].map((object) => object?.constructor)).toEqual([
      GameOpen,
      GamePlayer,
      GameSession,
    ]);
  });

  it('needs no session, and a session needs no members', () => {
    expect(pointersOf('game.open', { player: { id: 'p-1' } })).toEqual([]);
    expect(pointersOf('game.open', { player: { id: 'p-1' }, session: {} })).toEqual([]);
  });

  it('does not validate inside a list in place of an object', () => {
    const list = Object.defineProperty([], 0, {
      enumerable: true,
      get() {
        throw new Error('looked into');
      },
    });
    expect(pointersOf('game.open', { player: list })).toEqual(['/player']);
    expect(pointersOf('game.open', { player: JSON.parse('[{"constructor":null}]') })).toEqual(['/player']);
  });

  it('reports the faults of player and session together', () => {
    const data = { player: { nick: 5, foo: 1 }, session: { tableId: '1', bar: 2 }, baz: 3 };
    expect(pointersOf('game.open', data).toSorted()).toEqual([
      '/baz',
      '/player/foo',
      '/player/id',
      '/player/nick',
      '/session/bar',
      '/session/tableId',
    ]);
  });
});
