import { spawnSync } from 'node:child_process';
import { delimiter, sep } from 'node:path';

const ARGUMENTS = `ci --include=dev --include=optional --engine-strict=false --ignore-scripts
  --no-audit --no-fund --loglevel=error`.split(/\s+/);
/**
 * Settings that change what `npm ci` installs and where. Registry, proxy, cache and credentials are kept.
 */
const REMOVED = new Set(
  `also bin_links dev dry_run engine_strict force global ignore_scripts include include_workspace_root install_links
  install_strategy legacy_peer_deps location omit only optional package_lock package_lock_only prefix production
  save strict_peer_deps workspace workspaces`.split(/\s+/),
);

/**
 * Runs `npm ci` in the repository, regardless of the settings for production, engines and scripts in the
 * shell and in the user's npm configuration. No package here needs its install script.
 *
 * @throws {Error} with npm's output, if npm fails or is missing
 */
export function npmCi(root) {
  const env = npmEnvironment(process.env);
  // npm is about to remove the `node` in that folder.
  env.PATH = withoutPackages(env.PATH);
  // The npm that started this process, with its own Node.js; or else the npm in the PATH.
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
 * Returns an environment in which the user's shell does not change what `npm ci` installs: without
 * `NODE_ENV`, and without the `npm_config_*` variables (in any letter case) that select packages.
 */
export function npmEnvironment(env) {
  const isRemoved = (name) =>
    name === 'NODE_ENV' ||
    (/^npm_config_/i.test(name) && REMOVED.has(name.slice(11).toLowerCase().replaceAll('-', '_')));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isRemoved(name)));
}

/**
 * Returns a search path without the programs of packages, which `npm run` prepends: one of them is another
 * Node.js.
 */
export function withoutPackages(path = '') {
  const isOfPackages = (folder) => folder.endsWith(`node_modules${sep}.bin`);
  return path
    .split(delimiter)
    .filter((folder) => !isOfPackages(folder))
    .join(delimiter);
}
