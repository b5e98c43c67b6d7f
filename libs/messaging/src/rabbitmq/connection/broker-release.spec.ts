import { describe, expect, it } from '@jest/globals';

import { brokerReleaseOf } from './broker-release.ts';

describe('brokerReleaseOf', () => {
  it.each([
    ['3.10.8', []],
    ['4.0.5', ['honoursPriorities']],
    ['4.3.6', ['honoursPriorities', 'countsAcquisitions', 'keepsForDeadNodes']],
    ['4.10.0-rc.1', ['honoursPriorities', 'countsAcquisitions', 'keepsForDeadNodes']],
    ['5.0', ['honoursPriorities', 'countsAcquisitions', 'keepsForDeadNodes']],
    ['', []],
  ])('knows what differs on %p', (version, differences) => {
    const release = Object.entries(brokerReleaseOf(version));
    expect(release.filter(([, value]) => value === true).map(([name]) => name)).toEqual(differences);
  });
});
