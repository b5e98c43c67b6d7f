import { describe, expect, it } from '@jest/globals';

import { read, tablesWith } from '../docs/markdown.ts';
import { readDockerfile, valuesOf } from './dockerfile.ts';

const packageJson = JSON.parse(read('package.json')) as {
  readonly version: string;
  readonly workspaces: readonly string[];
};
const { packages } = JSON.parse(read('package-lock.json')) as {
  readonly packages: Readonly<
    Record<string, { readonly resolved?: string; readonly integrity?: string; readonly link?: boolean }>
  >;
};

describe('the supply chain', () => {
  it('installs packages only by their hashes, and from the registry', () => {
    const own = ['', ...packageJson.workspaces];
    const foreign = Object.entries(packages).filter(([path, { link }]) => !own.includes(path) && !link);
    expect(foreign).not.toEqual([]);
    for (const [path, { resolved, integrity }] of foreign) {
      expect([path, resolved]).toEqual([path, undefined]);
      expect([path, integrity]).toEqual([path, expect.stringMatching(/^sha512-/)]);
    }
  });

  it('runs no install script', () => {
    expect(read('.npmrc').split('\n')).toContain('ignore-scripts=true');
    expect(read('scripts/launcher/npm-ci.mjs')).toContain('--ignore-scripts');
    const installs = readDockerfile('deploy/Dockerfile')
      .flatMap(({ instructions }) => valuesOf(instructions, 'RUN'))
      .filter((run) => run.startsWith('npm '));
    expect(installs).not.toEqual([]);
    for (const install of installs) expect(install).toMatch(/^npm ci .*--ignore-scripts/);
  });
});

it('SECURITY.md supports the current version', () => {
  const [table] = tablesWith(read('SECURITY.md'), 'Version');
  const [current] = table?.rows ?? [];
  expect(packageJson.version.startsWith(`${current?.[0]}.`)).toBe(true);
  expect(current?.[1]).toBe('yes');
});
