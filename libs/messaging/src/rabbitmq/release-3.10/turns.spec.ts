import { describe, expect, it } from '@jest/globals';

import { Turns } from './turns.ts';

/** Work that notes when it begins and when it ends. */
function notes() {
  const seen: string[] = [];
  const work = (name: string) => async () => {
    seen.push(`${name} begins`);
    await Promise.resolve();
    seen.push(`${name} ends`);
    return name;
  };
  return { seen, work };
}

describe('Turns', () => {
  it('do one piece of work at a time, and give each its own result', async () => {
    const { seen, work } = notes();
    const turns = new Turns();
    const results = ['a', 'b'].map((name) => turns.run('shop', work(name)));
    expect(await Promise.all(results)).toEqual(['a', 'b']);
    expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('go round the callers, however much one of them has', async () => {
    const { seen, work } = notes();
    const turns = new Turns();
    const run = (caller: string, name: string) => turns.run(caller, work(name));
    await Promise.all([
      ...['a1', 'a2', 'a3', 'a4'].map((name) => run('a', name)),
      ...['b1', 'b2'].map((name) => run('b', name)),
      run('c', 'c1'),
    ]);
    const begun = seen.filter((note) => note.endsWith('begins')).map((note) => note.slice(0, 2));
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  });

  it('go on after work that fails, and say so to whoever asked for it', async () => {
    const turns = new Turns();
    const failed = turns.run('shop', () => Promise.reject(new Error('no')));
    const next = turns.run('shop', () => Promise.resolve('yes'));
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });

  it('count what waits, without what is being done', async () => {
    const { work } = notes();
    const turns = new Turns();
    const results = ['a', 'b', 'c'].map((name) => turns.run('shop', work(name)));
    expect([turns.waitingOf('shop'), turns.waitingOf('other')]).toEqual([2, 0]);
    await Promise.all(results);
    expect(turns.waitingOf('shop')).toBe(0);
  });
});
