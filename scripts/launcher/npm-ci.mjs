import { spawnSync } from 'node:child_process';
import { delimiter, sep } from 'node:path';

const ARGUMENTS = `ci --include=dev --include=optional --engine-strict=false --ignore-scripts
  --no-audit --no-fund --loglevel=error`.split(/\s+/);
/** Settings that decide what `npm ci` installs and where; registry, proxy, cache and credentials stay. */
const REMOVED = new Set(
  `also bin_links dev dry_run engine_strict force global ignore_scripts include include_workspace_root install_links
  install_strategy legacy_peer_deps location omit only optional package_lock package_lock_only prefix production
  save strict_peer_deps workspace workspaces`.split(/\s+/),
);

/**
 * Runs `npm ci` in the repository, whatever the shell and the user's npm settings say about production,
 * engines or scripts (no package here needs its install script).
 *
 * @throws {Error} with npm's output, if npm fails or is not there
 */
export function npmCi(root) {
  const env = npmEnvironment(process.env);
  // The `node` there is about to be removed.
  env.PATH = withoutPackages(env.PATH);
  // The npm that runs us, on its own Node.js; else the one in the PATH.
  const { npm_node_execpath: node, npm_execpath: npm } = process.env;
  const [command, ...first] = node && npm?.endsWith('npm-cli.js') ? [node, npm] : ['npm'];
  const startedAt = Date.now();
  process.stderr.write('poker-bridge: installing packages with npm ci, which can take a minute … ');
  const options = { cwd: root, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] };
  const { error, status, signal, stdout, stderr } = spawnSync(command, [...first, ...ARGUMENTS], options);
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  process.stderr.write(`${status === 0 ? 'done' : 'failed'} after ${seconds} s\n`);
  if (error) throw new Error(`npm does not start: ${error.message}`);
  if (status !== 0) throw new Error(`npm ci ended with ${status ?? signal}\n${`${stdout}${stderr}`.trim()}`);
}

/**
 * The environment for an `npm ci` that a person's shell cannot turn into another kind of install: without
 * `NODE_ENV`, and without those `npm_config_*` variables (in any case of letters) that choose what is
 * installed.
 */
export function npmEnvironment(env) {
  const isRemoved = (name) =>
    name === 'NODE_ENV' ||
    (/^npm_config_/i.test(name) && REMOVED.has(name.slice(11).toLowerCase().replaceAll('-', '_')));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isRemoved(name)));
}

/**
 * A search path without the programs of packages, which `npm run` puts first: one of them is another Node.js.
 */
export function withoutPackages(path = '') {
  const isOfPackages = (folder) => folder.endsWith(`node_modules${sep}.bin`);
  return path
    .split(delimiter)
    .filter((folder) => !isOfPackages(folder))
    .join(delimiter);
}
