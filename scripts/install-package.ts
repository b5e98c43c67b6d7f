import { existsSync, globSync } from 'node:fs';

import spawn, { type SubprocessError } from 'nano-spawn';

/**
 * Installs a package without starting the service that comes with it: policy-rc.d forbids that, and is put there only
 * if there is none, and taken away whichever way the installation ends. Two at once wait for each other.
 */
const SCRIPT = `
exec 9>/run/lock/poker-bridge-apt.lock
flock 9
policy=/usr/sbin/policy-rc.d
trap 'exit 130' INT
trap 'exit 143' TERM HUP
if (set -C; printf '#!/bin/sh\\nexit 101\\n' >"$policy") 2>/dev/null; then
  trap 'rm -f "$policy"' EXIT
  chmod 755 "$policy"
fi
export DEBIAN_FRONTEND=noninteractive
apt-get -o DPkg::Lock::Timeout=120 update &&
apt-get -o DPkg::Lock::Timeout=120 install --yes --no-install-recommends "$@"
`;

/**
 * Installs packages of Debian or Ubuntu, without starting their system services, and says so on stderr.
 *
 * @throws {Error} if this is not such a system, not root, or apt fails; it says what to install
 */
export async function installPackage(...names: readonly string[]): Promise<void> {
  const all = names.join(' ');
  const obstacle = obstacleToInstalling();
  if (obstacle !== undefined) throw new Error(`not installed, and cannot be installed: ${all}: ${obstacle}`);
  process.stderr.write(`poker-bridge: installing ${all} with apt, without its system service … `);
  const result = await spawn('/bin/sh', ['-c', SCRIPT, 'install', ...names], { stdin: 'ignore' }).catch(
    (error: unknown) => error as SubprocessError,
  );
  const hasFailed = result instanceof Error;
  const seconds = (result.durationMs / 1_000).toFixed(1);
  process.stderr.write(`${hasFailed ? 'failed' : 'done'} after ${seconds} s\n`);
  if (!hasFailed) return;
  throw new Error(
    `apt-get install ${all} ended with ${result.exitCode ?? result.signalName}\n${result.output}`,
  );
}

/** Why nothing can be installed here; undefined if it can. */
function obstacleToInstalling(): string | undefined {
  if (!existsSync('/etc/debian_version') || !existsSync('/usr/bin/apt-get'))
    return 'this is not Debian or Ubuntu';
  if (process.getuid?.() !== 0) return 'that needs root';
  return undefined;
}

/**
 * Installs those packages of Debian or Ubuntu that are missing.
 *
 * @param packages each name with a file that it brings, as a pattern
 * @throws {Error} if they cannot be installed; it says which
 */
export async function installMissing(packages: Readonly<Record<string, string>>): Promise<void> {
  const missing = Object.keys(packages).filter((name) => globSync(packages[name] ?? '').length === 0);
  if (missing.length > 0) await installPackage(...missing);
}
