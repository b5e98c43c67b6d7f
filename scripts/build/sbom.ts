import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import spawn from 'nano-spawn';

import { SBOM } from './build.ts';

/** All packages: npm's `--omit dev` loses those that a development package needs as well. */
const NPM_SBOM = [
  'sbom',
  '--package-lock-only',
  '--sbom-format=cyclonedx',
  '--sbom-type=application',
  ...['dev', 'optional', 'peer'].map((type) => `--include=${type}`),
];

interface LockedPackage {
  readonly name?: string;
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
}

interface Component {
  readonly 'bom-ref': string;
  readonly purl: string;
}

interface Bom {
  readonly serialNumber?: string;
  readonly metadata: { readonly timestamp?: string; readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/**
 * Writes the software bill of materials of what an image holds, as CycloneDX, to `dist`: the packages of the lock file that
 * are neither for development nor optional. The same lock file gives the same document. It needs no network.
 *
 * @returns how many packages it lists
 */
export async function writeSbom(root: string): Promise<number> {
  const { stdout } = await spawn('npm', NPM_SBOM, { cwd: root });
  const { serialNumber: _, ...bom } = JSON.parse(stdout) as Bom;
  const { timestamp: __, ...metadata } = bom.metadata;
  const purls = purlsOf(join(root, 'package-lock.json'));
  const components = bom.components.filter(({ purl }) => purls.has(purl));
  const refs = new Set([metadata.component, ...components].map((component) => component['bom-ref']));
  const dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) }));
  // npm names it after the folder.
  const component = { ...metadata.component, name: 'poker-bridge' };
  const own = { ...bom, metadata: { ...metadata, component }, components, dependencies };
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(join(root, 'dist', SBOM), `${JSON.stringify(own, undefined, 2)}\n`);
  return components.length;
}

/** The package URLs of what an image holds. */
function purlsOf(lockFile: string): ReadonlySet<string> {
  const { packages } = JSON.parse(readFileSync(lockFile, 'utf8')) as {
    packages: Readonly<Record<string, LockedPackage>>;
  };
  const held = Object.entries(packages).filter(
    ([path, { dev, optional, devOptional, link }]) =>
      path !== '' && !dev && !optional && !devOptional && !link,
  );
  return new Set(
    held.map(([path, { name = path.replace(/^.*node_modules\//, ''), version }]) => {
      return `pkg:npm/${name.replace('@', '%40')}@${version}`;
    }),
  );
}
