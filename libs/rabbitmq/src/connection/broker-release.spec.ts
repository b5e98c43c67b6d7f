import { describe, expect, it } from '@jest/globals';

import { adviceFor, brokerReleaseOf } from './broker-release.ts';

describe('brokerReleaseOf', () => {
  it.each([
    ['3.10.8', { isOld: true, isFrom43: false }, /promised from 4\.0 on/],
    ['4.0.5', { isOld: false, isFrom43: false }, /^$/],
    ['4.3.6', { isOld: false, isFrom43: true }, /consumer-disconnected-timeout/],
    ['4.10.0-rc.1', { isOld: false, isFrom43: true }, /consumer-disconnected-timeout/],
    ['', { isOld: false, isFrom43: false }, /^$/],
  ])('knows how %p differs, and what its administrator should do', (version, differences, advice) => {
    const release = brokerReleaseOf(version);
    expect(release).toEqual({ version, ...differences });
    expect(adviceFor(release) ?? '').toMatch(advice);
  });
});
