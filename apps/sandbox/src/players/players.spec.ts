import { beforeEach, describe, expect, it } from '@jest/globals';
import { Players } from './players.ts';

describe('players', () => {
  let players: Players;
  const check = (userId: string, nick: string, clientId = 'op1') =>
    players.checkNickname(clientId, userId, nick, '/nick');

  beforeEach(() => {
    players = new Players(5);
    players.save('op1', 'ada', { nick: 'Äce', currency: 'USD' });
  });

  it('are kept with the latest data', () => {
    players.save('op1', 'ada', { currency: 'EUR' });
    expect(players.find('op1', 'ada')).toEqual({
      clientId: 'op1',
      userId: 'ada',
      nick: 'Äce',
      currency: 'EUR',
      profile: {},
    });
    expect(players.count).toBe(1);
  });

  it('are separate for each client, but their nicknames are not', () => {
    expect(players.find('op2', 'ada')).toBeUndefined();
    expect(() => check('ada', 'äCE', 'op2')).toThrow(
      'A Player with this username already exists in the system.',
    );
  });

  it('may keep their own nickname, and free the one that they had', () => {
    expect(() => check('ada', 'äce')).not.toThrow();
    players.save('op1', 'ada', { nick: 'queen' });
    expect(() => check('bob', 'Äce')).not.toThrow();
    expect(() => check('bob', 'QUEEN')).toThrow();
  });

  it('treat a nickname in composed and decomposed letters as the same', () => {
    expect(() => check('bob', 'A\u0308ce')).toThrow();
  });

  it('have a nickname of limited length in characters, however they are encoded', () => {
    expect(() => check('bob', '🂡🂡🂡🂡🂡')).not.toThrow();
    expect(() => check('bob', 'sixsix')).toThrow('The maximum username length is 5');
  });

  it('are limited to 100,000', () => {
    while (players.count < 100_000) players.save('op1', `player-${players.count}`, {});
    expect(() => players.save('op1', 'one more', {})).toThrow('The sandbox is full: it keeps 100000 players');
    expect(players.save('op1', 'ada', { currency: 'EUR' }).currency).toBe('EUR');
    expect(players.count).toBe(100_000);
  });
});
