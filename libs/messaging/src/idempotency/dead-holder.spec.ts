import { beforeEach, describe, expect, it } from '@jest/globals';

import { DeadHolder } from './dead-holder.ts';

describe('DeadHolder', () => {
  let nowMs: number;
  let connections: Set<string> | undefined;
  let overdueMs: number;
  let freed: string[];
  let holder: DeadHolder;

  beforeEach(() => {
    nowMs = 0;
    connections = new Set();
    overdueMs = 0;
    freed = [];
    holder = new DeadHolder({
      hasConnection: (connection) => Promise.resolve(connections?.has(connection)),
      overdueMs: () => Promise.resolve(overdueMs),
      free: (connection) => Promise.resolve(freed.push(connection) > 0),
      absenceMs: 500,
      nowMs: () => nowMs,
    });
  });

  const look = (atMs: number, connection = '7') => {
    nowMs = atMs;
    return holder.free(connection);
  };

  it('frees what is held over a connection that has been gone for half a second', async () => {
    expect([await look(0), await look(499), await look(500)]).toEqual([false, false, true]);
    expect(freed).toEqual(['7']);
  });

  it('counts the time in which the holder did not renew its claim, before anybody looked', async () => {
    overdueMs = 300;
    expect([await look(0), await look(199), await look(200)]).toEqual([false, false, true]);
  });

  it('frees at once what has been overdue for long enough', async () => {
    overdueMs = 500;
    expect(await look(0)).toBe(true);
  });

  it('begins anew where the holder is back, under the old connection or a new one', async () => {
    await look(0);
    expect([await look(400, '8'), await look(600, '8')]).toEqual([false, false]);
    connections = new Set(['8']);
    expect(await look(2_000, '8')).toBe(false);
    connections = new Set();
    expect([await look(3_000, '8'), await look(3_400, '8'), await look(3_500, '8')]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('frees nothing while nobody knows', async () => {
    await look(0);
    connections = undefined;
    expect(await look(600)).toBe(false);
    connections = new Set();
    expect(await look(700)).toBe(false);
  });
});
