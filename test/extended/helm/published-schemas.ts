import { join } from 'node:path';

import ts from 'typescript';

import { root } from '../../../scripts/root.ts';
import type { Manifest } from './render.ts';

/** The packages with the types of an API group, generated from published schemas. Default: Kubernetes. */
const PACKAGES: Readonly<Record<string, string>> = {
  'keda.sh': '@kubernetes-models/keda/',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator/',
};

/**
 * Checks rendered manifests against the published schemas of Kubernetes, KEDA and the Prometheus operator, by
 * compiling them with the generated types. Kubernetes itself ignores unknown fields.
 *
 * @returns the messages of the compiler
 */
export function faultsOf(manifests: readonly Manifest[]): readonly string[] {
  const file = join(root, 'test/extended/helm/rendered.ts');
  const text = manifests.map(typedLiteral).join('\n');
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (path) => path === file || fileExists(path);
  host.getSourceFile = (path, language, ...rest) =>
    path === file ? ts.createSourceFile(path, text, language) : getSourceFile(path, language, ...rest);
  const program = ts.createProgram([file], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

function typedLiteral(manifest: Manifest, index: number): string {
  const { apiVersion, kind } = manifest;
  const [group = ''] = apiVersion.split('/');
  const path = `${PACKAGES[group] ?? 'kubernetes-models/'}${apiVersion}/${kind}`;
  return [
    `import type { I${kind} as Type${index} } from '${path}';`,
    `export const manifest${index}: Type${index} = ${JSON.stringify(manifest)};`,
  ].join('\n');
}
