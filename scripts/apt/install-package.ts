import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

/**
 * Installs a package without starting the service that comes with it: policy-rc.d forbids that, and is put there only
 * where none is, and taken away whichever way the installation ends. Two at once wait for each other.
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
apt-get -o DPkg::Lock::Timeout=120 install --yes --no-install-recommends "$1"
`;

/**
 * Installs a package of Debian or Ubuntu, without starting its system service, and says so on stderr.
 *
 * @throws {Error} where this is not such a system, not root, or apt fails; it says what to install
 */
export async function installPackage(name: string): Promise<void> {
  const obstacle = obstacleToInstalling();
  if (obstacle !== undefined)
    throw new Error(`${name} is not installed, and cannot be installed: ${obstacle}`);
  const startedAt = Date.now();
  process.stderr.write(`poker-bridge: installing ${name} with apt, without its system service … `);
  const { code, output } = await run(name);
  const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1);
  process.stderr.write(`${code === 0 ? 'done' : 'failed'} after ${seconds} s\n`);
  if (code !== 0) throw new Error(`apt-get install ${name} ended with ${code}\n${output}`);
}

/** Why nothing can be installed here; undefined where it can. */
function obstacleToInstalling(): string | undefined {
  if (!existsSync('/etc/debian_version') || !existsSync('/usr/bin/apt-get'))
    return 'this is not Debian or Ubuntu';
  if (process.getuid?.() !== 0) return 'that needs root';
  return undefined;
}

function run(name: string): Promise<{ code: number | string; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', SCRIPT, 'install', name], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code: code ?? signal ?? 1, output: output.trim() }));
  });
}
