import { describe, expect, it } from '@jest/globals';

import { commandOf, copiedCommandOf, RECEIVED_AT_MS } from './command.fixture.ts';
import { waitedMs } from './waited-ms.ts';

const NOW_SECONDS = Math.floor(RECEIVED_AT_MS / 1000);
const DAY_SECONDS = 86_400;

describe('waitedMs', () => {
  it.each([
    [0, 'in the same second', NOW_SECONDS],
    [3000, 'three seconds before', NOW_SECONDS - 3],
    [0, 'by a caller whose clock is ahead', NOW_SECONDS + 5],
    [DAY_SECONDS * 1000, 'a day before', NOW_SECONDS - DAY_SECONDS],
    [undefined, 'longer ago than a clock can be trusted', NOW_SECONDS - DAY_SECONDS - 1],
    [undefined, 'at a time that nobody knows', undefined],
    [undefined, 'at a time that is no number', 'yesterday'],
  ])('is %p for a command that was sent %s', (expected, _, timestamp) => {
    expect(waitedMs(commandOf({ properties: { timestamp } }))).toBe(expected);
  });

  it('is unknown for a command that a worker had before: its timestamp is that of its first day', () => {
    const properties = { timestamp: NOW_SECONDS - 3 };
    expect(waitedMs(commandOf({ properties, redelivered: true }))).toBeUndefined();
    expect(waitedMs(copiedCommandOf({ properties }))).toBeUndefined();
  });
});
