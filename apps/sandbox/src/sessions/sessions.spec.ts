import { beforeEach, describe, expect, it } from '@jest/globals';

import { Players } from '../players/players.ts';
import { Sessions } from './sessions.ts';

describe('sessions', () => {
  let nowMs: number;
  let sessions: Sessions;
  const request = { clientId: 'op1', userId: 'ada', authType: 'external', lang: 'en' } as const;

  beforeEach(() => {
    nowMs = 1_000_000;
    sessions = new Sessions({ sessionLifetimeMs: 1000, tokenLifetimeMs: 100 }, () => nowMs);
  });

  it('end when they expire', () => {
    const first = sessions.open(request, 's-1');
    nowMs += 999;
    sessions.open(request, 's-2');
    nowMs += 1;
    expect(sessions.all()).toHaveLength(1);
    expect(sessions.open({ ...request, userId: 'bob' }, 's-1').auth).not.toBe(first.auth);
  });

  it('are remembered after they expire, up to the last 1,000', () => {
    const [first, second] = [sessions.open(request), sessions.open(request)];
    nowMs += 1000;
    expect([sessions.all(), sessions.findByAuth(first.auth)]).toEqual([[], first]);
    for (let count = 0; count < 999; count++) sessions.open(request);
    nowMs += 1000;
    expect(sessions.findByAuth(first.auth)).toBeUndefined();
    expect(sessions.findByAuth(second.auth)).toEqual(second);
  });

  it('are limited to 100,000; the one that expires first ends early', () => {
    const [first, second] = [sessions.open(request), sessions.open(request)];
    for (let opened = 2; opened < 100_001; opened += 1) sessions.open(request);
    expect(sessions.all()[0]).toEqual(second);
    expect(sessions.findByAuth(first.auth)).toEqual(first);
  });
});

describe('players', () => {
  let players: Players;
  const check = (userId: string, nick: string, clientId = 'op1') =>
    players.checkNickname(clientId, userId, nick, '/nick');

  beforeEach(() => {
    players = new Players(5);
    players.save('op1', 'ada', { nick: 'Äce', currency: 'USD' });
  });

  it('can keep their own nickname, and release the previous one when they change it', () => {
    expect(() => check('ada', 'äce')).not.toThrow();
    players.save('op1', 'ada', { nick: 'queen' });
    expect(() => check('bob', 'Äce')).not.toThrow();
    expect(() => check('bob', 'QUEEN')).toThrow();
  });

  it('keep values that are absent or empty in an update', () => {
    const updated = players.save('op1', 'ada', { nick: '', country: 'DE' });
    expect(updated).toMatchObject({ nick: 'Äce', currency: 'USD', country: 'DE' });
  });

  it.each([
    ['of a player of another client', 'ada', 'äCE', 'op2', 'already exists'],
    ['in decomposed letters', 'bob', 'A\u0308ce', 'op1', 'already exists'],
    ['of six characters', 'bob', 'sixsix', 'op1', 'The maximum username length is 5'],
  ])('cannot have a nickname %s', (_, userId, nick, clientId, message) => {
    expect(() => check(userId, nick, clientId)).toThrow(message);
    expect(() => check('bob', '🂡🂡🂡🂡🂡')).not.toThrow();
  });

  it('are limited to 100,000', () => {
    for (let added = 1; added < 100_000; added += 1) players.save('op1', `player-${added}`, {});
    expect(() => players.save('op1', 'one more', {})).toThrow('The sandbox is full: it keeps 100000 players');
    expect(players.save('op1', 'ada', { currency: 'EUR' }).currency).toBe('EUR');
  });
});
