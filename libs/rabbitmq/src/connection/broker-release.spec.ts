import { describe, expect, it } from '@jest/globals';

import { brokerReleaseOf } from './broker-release.ts';

describe('brokerReleaseOf', () => {
  it.each([
    ['3.10.8', false, /promised from 4\.0 on/],
    ['4.0.5', false, /set net_ticktime = 8 and the poll_interval of raft/],
    ['4.3.6', true, /net_ticktime = 8, consumer_disconnected_timeout = 1000/],
    ['4.10.0-rc.1', true, /net_ticktime = 8, consumer_disconnected_timeout = 1000/],
    ['', false, /^$/],
  ])('describes release %p and recommends settings for it', (version, isFrom43, expected) => {
    const { advice = '', ...release } = brokerReleaseOf(version);
    expect(release).toEqual({ version, isFrom43 });
    expect(advice).toMatch(expected);
  });
});
