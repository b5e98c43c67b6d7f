import { describe, expect, it } from '@jest/globals';

import { busNames } from './bus-names.ts';

describe('busNames', () => {
  it('are those of the contract under the prefix poker', () => {
    const { retry, ...names } = busNames();
    expect(names).toEqual({
      reserved: 'poker.',
      commands: 'poker.commands',
      unknownCommands: 'poker.commands.unknown',
      events: 'poker.events',
      lanes: { interactive: 'poker.interactive', reports: 'poker.reports' },
      quarantine: 'poker.quarantine',
      deadLetters: 'poker.dead-letters',
      undelivered: 'poker.replies.undelivered',
    });
    expect(retry(5000)).toBe('poker.reports.retry.5000');
  });

  it('all start with the given prefix', () => {
    const { retry, lanes, ...names } = busNames('test-7');
    const all = [...Object.values(names), ...Object.values(lanes), retry(1)];
    for (const name of all) expect(name).toMatch(/^test-7\./);
    expect(new Set(all).size).toBe(all.length);
  });
});
