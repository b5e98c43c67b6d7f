import { describe, expect, it } from '@jest/globals';

import { adviceFor, brokerReleaseOf } from './broker-release.ts';

describe('brokerReleaseOf', () => {
  it.each([
    ['3.10.8', ['isOld']],
    ['4.0.5', []],
    ['4.3.6', ['isFrom43']],
    ['4.10.0-rc.1', ['isFrom43']],
    ['5.0', ['isFrom43']],
    ['', []],
  ])('knows what differs on %p', (version, differences) => {
    const release = Object.entries(brokerReleaseOf(version));
    expect(release.filter(([, value]) => value === true).map(([name]) => name)).toEqual(differences);
  });
});

describe('adviceFor', () => {
  it.each([
    ['3.10.8', /promised from 4\.0 on/],
    ['4.0.5', /^$/],
    ['4.3.6', /consumer-disconnected-timeout/],
  ])('says what the administrator of %s should do', (version, advice) => {
    expect(adviceFor(brokerReleaseOf(version)) ?? '').toMatch(advice);
  });
});
