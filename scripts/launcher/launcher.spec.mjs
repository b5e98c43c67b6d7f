import { chmodSync } from 'node:fs';

import { afterEach, describe, expect, it, jest } from '@jest/globals';

import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { isInstalled } from './ensure-packages.mjs';
import { npmCi, npmEnvironment } from './npm-ci.mjs';

afterEach(() => void jest.restoreAllMocks());

describe('isInstalled', () => {
  const native = { version: '3.0.0', optional: true, os: ['linux'], cpu: ['x64'] };
  const lock = {
    packages: {
      '': { name: 'root' },
      'libs/contracts': { name: '@poker-bridge/contracts' },
      'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
      'node_modules/a/node_modules/b': { version: '2.0.0', integrity: 'sha512-b', dev: true },
      'node_modules/native-linux-x64': native,
      'node_modules/native-linux-arm64': { ...native, os: 'linux', cpu: 'arm64' },
      'node_modules/native-linux-x64-musl': { ...native, libc: ['musl'] },
      'node_modules/for-another-native': { version: '1.0.0', optional: true },
    },
  };
  const record = (changes = {}) => ({
    packages: {
      'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
      'node_modules/a/node_modules/b': { version: '2.0.0', integrity: 'sha512-b' },
      'node_modules/native-linux-x64': { version: '3.0.0' },
      ...changes,
    },
  });

  it.each([
    [true, 'every package of this platform', record()],
    [false, 'no record', undefined],
    [false, 'another version', record({ 'node_modules/a': { version: '1.0.1', integrity: 'sha512-a' } })],
    [false, 'another content', record({ 'node_modules/a': { version: '1.0.0', integrity: 'sha512-x' } })],
    [false, 'a missing development package', record({ 'node_modules/a/node_modules/b': undefined })],
    [false, 'a missing package of this platform', record({ 'node_modules/native-linux-x64': undefined })],
  ])('is %s for %s', (expected, _case, installed) => {
    expect(isInstalled(lock, installed, { platform: 'linux', arch: 'x64' })).toBe(expected);
  });
});

it('npm ci inherits registry, proxy and cache, but no variable that changes the installed packages', () => {
  const kept = ['PATH', 'npm_config_registry', 'NPM_CONFIG_USERCONFIG', 'npm_config_https_proxy'];
  const removed = ['NODE_ENV', 'npm_config_ignore_scripts', 'NPM_CONFIG_OMIT', 'npm_config_engine-strict'];
  const env = Object.fromEntries([...kept, ...removed].map((name) => [name, 'x']));
  expect(Object.keys(npmEnvironment(env))).toEqual(kept);
});

it.each([
  ['fails', 'echo installing; echo "no $1" >&2; exit 3', 'npm ci ended with 3\ninstalling\nno ci'],
  ['is killed', 'kill -TERM $$', 'npm ci ended with SIGTERM\n'],
  ['is not there', undefined, 'npm does not start: spawnSync npm ENOENT'],
])('an npm ci that %s throws an error with its output', (_case, script, message) => {
  using folder = temporaryFolder();
  if (script !== undefined) chmodSync(folder.write('npm', `#!/bin/sh\n${script}\n`), 0o755);
  jest.replaceProperty(process, 'env', { PATH: folder.path });
  const said = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  expect(() => npmCi(folder.path)).toThrow(new Error(message));
  expect(said).toHaveBeenLastCalledWith(expect.stringMatching(/^failed after/));
});
