import { describe, expect, it } from '@jest/globals';

import { deliveryOf } from '../consuming/delivery.fixture.ts';
import { retryHeaders } from './retry-headers.ts';

const COUNT = { 'x-postponed': 2 };
const dead = (...queues: unknown[]) => queues.map((queue) => ({ queue, reason: 'expired', count: 1 }));

describe('retryHeaders', () => {
  it('are those of a message that comes from a retry queue', () => {
    const headers = { ...COUNT, 'x-death': dead('poker.reports.retry.5000') };
    expect(retryHeaders(deliveryOf({ queue: 'poker.reports', headers }))).toEqual(headers);
  });

  it.each([
    ['without a death', undefined],
    ['with a list of no deaths', []],
    ['with a death that is none', ['poker.reports.retry.5000']],
    ['with a death of nothing', [null]],
    ['with a death that is no list', { queue: 'poker.reports.retry.5000' }],
    ['that died in its lane', dead('poker.reports')],
    ['that died in a retry queue of another prefix', dead('other.reports.retry.5000')],
    [
      'that died in its lane after it came from a retry queue',
      dead('poker.reports', 'poker.reports.retry.5000'),
    ],
    ['with a death in a queue without a name', dead(7)],
  ])('are none of a message %s', (_, death) => {
    const headers = { ...COUNT, 'x-death': death };
    expect(retryHeaders(deliveryOf({ queue: 'poker.reports', headers }))).toEqual({});
  });

  it('are none of a message in another queue', () => {
    const headers = { ...COUNT, 'x-death': dead('poker.reports.retry.5000') };
    expect(retryHeaders(deliveryOf({ queue: 'poker.interactive', headers }))).toEqual({});
  });
});
