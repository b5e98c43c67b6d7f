import { join } from 'node:path';

import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import { TriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1/TriggerAuthentication';
import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import ts from 'typescript';

import { root } from '../../../scripts/root.ts';
import type { Manifest } from './render.ts';

/** Made of the published schemas of Kubernetes, KEDA and the Prometheus operator. */
const MODELS = [
  Deployment,
  NetworkPolicy,
  PodDisruptionBudget,
  PrometheusRule,
  ScaledObject,
  Secret,
  Service,
  ServiceAccount,
  ServiceMonitor,
  TriggerAuthentication,
];

const PACKAGES: Readonly<Record<string, string>> = {
  'keda.sh': '@kubernetes-models/keda/',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator/',
};

/** @throws Error with every fault by its path, or that no schema is known */
export function validate(manifest: Manifest): void {
  const model = MODELS.find(
    ({ apiVersion, kind }) => apiVersion === manifest.apiVersion && kind === manifest.kind,
  );
  if (!model) throw new Error(`there is no schema of ${manifest.apiVersion} ${manifest.kind}`);
  new model(manifest as never).validate();
}

/**
 * What the schemas do not know. They allow members beyond theirs, which Kubernetes ignores or refuses; their types,
 * generated with them, do not.
 *
 * @returns the messages of the compiler, none if all is known
 */
export function unknownMembers(manifests: readonly Manifest[]): readonly string[] {
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
