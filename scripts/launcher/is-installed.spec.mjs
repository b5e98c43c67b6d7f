import { describe, expect, it } from '@jest/globals';
import { isInstalled } from './is-installed.mjs';

const machine = { os: 'linux', cpu: 'x64' };
const lock = JSON.stringify({
  packages: {
    '': { name: 'root' },
    'libs/contracts': { name: '@poker-bridge/contracts' },
    'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
    'node_modules/a/node_modules/b': { version: '2.0.0', integrity: 'sha512-b', dev: true },
    'node_modules/native-linux-x64': { version: '3.0.0', optional: true, os: ['linux'], cpu: ['x64'] },
    'node_modules/native-linux-arm64': { version: '3.0.0', optional: true, os: 'linux', cpu: 'arm64' },
    'node_modules/native-linux-x64-musl': {
      version: '3.0.0',
      optional: true,
      os: ['linux'],
      cpu: ['x64'],
      libc: ['musl'],
    },
    'node_modules/for-another-native': { version: '1.0.0', optional: true },
  },
});

function recordOf(changes = {}) {
  const packages = {
    'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
    'node_modules/a/node_modules/b': { version: '2.0.0', integrity: 'sha512-b' },
    'node_modules/native-linux-x64': { version: '3.0.0' },
    ...changes,
  };
  return JSON.stringify({ packages });
}

describe('isInstalled', () => {
  it('accepts a record that holds every package of this platform', () => {
    expect(isInstalled(lock, recordOf(), machine)).toBe(true);
  });

  it.each([
    ['no record', undefined],
    ['a record that is not JSON', '{'],
    ['another version', recordOf({ 'node_modules/a': { version: '1.0.1', integrity: 'sha512-a' } })],
    [
      'another content under the same version',
      recordOf({ 'node_modules/a': { version: '1.0.0', integrity: 'sha512-x' } }),
    ],
    ['a missing development package', recordOf({ 'node_modules/a/node_modules/b': undefined })],
    ['a missing optional package of this platform', recordOf({ 'node_modules/native-linux-x64': undefined })],
  ])('refuses %s', (_case, record) => {
    expect(isInstalled(lock, record, machine)).toBe(false);
  });
});
