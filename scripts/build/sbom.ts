import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import spawn from 'nano-spawn';

import { root } from '../root.ts';

/** All packages: npm's `--omit dev` loses those that a development package needs as well. */
const NPM_SBOM =
  'sbom --package-lock-only --sbom-format=cyclonedx --sbom-type=application --include=dev --include=optional --include=peer';

interface Component {
  readonly 'bom-ref': string;
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
 * Writes the software bill of materials of what an image holds, as CycloneDX, to `dist/sbom.cdx.json`: the packages of the
 * lock file that are neither for development nor optional. The same lock file gives the same document. It needs no network.
 *
 * @returns how many packages it lists
 */
export async function writeSbom(repository = root): Promise<number> {
  const { stdout } = await spawn('npm', NPM_SBOM.split(' '), { cwd: repository });
  const { serialNumber: _, ...bom } = JSON.parse(stdout) as Bom;
  const { timestamp: __, ...metadata } = bom.metadata;
  const components = bom.components.filter(
    ({ scope, properties = [] }) =>
      scope !== 'optional' && properties.every(({ name }) => name !== 'cdx:npm:package:development'),
  );
  const refs = new Set([metadata.component, ...components].map((component) => component['bom-ref']));
  const dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) }));
  // npm names it after the folder.
  const component = { ...metadata.component, name: 'poker-bridge' };
  const own = { ...bom, metadata: { ...metadata, component }, components, dependencies };
  mkdirSync(join(repository, 'dist'), { recursive: true });
  writeFileSync(join(repository, 'dist', 'sbom.cdx.json'), `${JSON.stringify(own, undefined, 2)}\n`);
  return components.length;
}
