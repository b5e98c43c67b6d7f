import { describe, expect, it } from '@jest/globals';

import { commandOf } from './command-in-hand.fixture.ts';
import { ladderHeaders } from './ladder-headers.ts';

const COUNT = { 'x-postponed': 2 };
const dead = (...queues: unknown[]) => queues.map((queue) => ({ queue, reason: 'expired', count: 1 }));

describe('ladderHeaders', () => {
  it('are those of a report that comes off a rung', () => {
    const headers = { ...COUNT, 'x-death': dead('poker.reports.retry.5000') };
    expect(ladderHeaders(commandOf({ queue: 'poker.reports', headers }).delivery)).toEqual(headers);
  });

  it.each([
    ['without a death', undefined],
    ['with a list of no deaths', []],
    ['with a death that is none', ['poker.reports.retry.5000']],
    ['with a death of nothing', [null]],
    ['with a death that is no list', { queue: 'poker.reports.retry.5000' }],
    ['that died in its lane', dead('poker.reports')],
    ['that died in another ladder', dead('other.reports.retry.5000')],
    ['that died in its lane after it came off a rung', dead('poker.reports', 'poker.reports.retry.5000')],
    ['with a death in a queue without a name', dead(7)],
  ])('are none of a message %s', (_, death) => {
    const headers = { ...COUNT, 'x-death': death };
    expect(ladderHeaders(commandOf({ queue: 'poker.reports', headers }).delivery)).toEqual({});
  });

  it('are none of a message in another queue', () => {
    const headers = { ...COUNT, 'x-death': dead('poker.reports.retry.5000') };
    expect(ladderHeaders(commandOf({ queue: 'poker.interactive', headers }).delivery)).toEqual({});
  });
});
