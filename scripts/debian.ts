import { existsSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import spawn, { type SubprocessError } from 'nano-spawn';

/**
 * Installs packages without starting their services: a temporary policy-rc.d forbids that, unless the machine
 * already has one. It is removed even if the installation fails. Concurrent installations wait for a lock in
 * a folder that only root may write to.
 */
const INSTALL = `
exec 9>/run/poker-bridge-apt.lock
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
 * Downloads a package and all of its dependencies by apt's own rules, as if nothing were installed, and
 * unpacks them.
 */
const UNPACK = `
cd "$1" &&
apt-get update -o APT::Update::Error-Mode=any &&
apt-get install --download-only --yes --no-install-recommends "$2" &&
for package in archives/*.deb; do dpkg-deb --extract "$package" "$3" || exit 1; done
`;

/**
 * The automatic signing keys of Debian's archive, of releases 12 (B8B80B5B623EAB6AD8775C45B7C5D7D6350947F8)
 * and 13 (04B54C3CDCA79751B16BC6B5225629DF75B188BD). Source: the package debian-archive-keyring.
 */
const KEYS = join(import.meta.dirname, 'debian-archive-keys.asc');
const MIRROR = 'https://deb.debian.org/debian';

/**
 * Installs the missing packages of Debian or Ubuntu, without starting their services.
 *
 * @param packages by name, each with a pattern of a file that it installs
 * @throws {Error} if the system is another one, the user is not root, or apt fails; with what to install
 */
export async function installMissing(packages: Readonly<Record<string, string>>): Promise<void> {
  const missing = missingOf(packages);
  if (missing.length === 0) return;
  const all = missing.join(' ');
  const obstacle = hasApt() ? process.getuid?.() !== 0 && 'that needs root' : 'this is not Debian or Ubuntu';
  if (obstacle) throw new Error(`not installed, and cannot be installed: ${all}: ${obstacle}`);
  await runApt(`installing ${all} with apt, without its system service`, INSTALL, missing);
}

export function missingOf(packages: Readonly<Record<string, string>>): string[] {
  return Object.keys(packages).filter((name) => globSync(packages[name] ?? '').length === 0);
}

/**
 * Unpacks a package of a suite of Debian, with its dependencies, into a folder. It needs no root, changes
 * nothing else on the machine, and requires Debian's signature.
 *
 * @param folder a new folder, which also contains apt's files during the download
 * @throws {Error} with apt's message
 */
export async function unpackPackage(name: string, suite: string, folder: string): Promise<void> {
  if (!hasApt()) throw new Error('this is not Debian or Ubuntu');
  const mirror = process.env['DEBIAN_MIRROR'] || MIRROR;
  const apt = join(folder, '.apt');
  for (const part of ['lists/partial', 'archives/partial']) mkdirSync(join(apt, part), { recursive: true });
  writeFileSync(join(apt, 'status'), '');
  writeFileSync(join(apt, 'sources.list'), `deb [signed-by=${KEYS}] ${mirror} ${suite} main\n`);
  const config = join(apt, 'apt.conf');
  writeFileSync(
    config,
    `Dir::State "${apt}"; Dir::State::status "${apt}/status"; Dir::Cache "${apt}";
     Dir::Etc::sourcelist "${apt}/sources.list"; Dir::Etc::sourceparts "/dev/null";
     Acquire::Languages "none"; APT::Sandbox::User "root";\n`,
  );
  await runApt(`unpacking ${name} of Debian ${suite}`, UNPACK, [apt, name, folder], { APT_CONFIG: config });
  rmSync(apt, { recursive: true });
}

function hasApt(): boolean {
  return existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get');
}

/** Reports each step and its duration on stderr. */
async function runApt(
  what: string,
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  process.stderr.write(`poker-bridge: ${what} … `);
  const result = await spawn('/bin/sh', ['-c', script, 'apt', ...args], { stdin: 'ignore', env }).catch(
    (error: unknown) => error as SubprocessError,
  );
  const hasFailed = result instanceof Error;
  const seconds = (result.durationMs / 1_000).toFixed(1);
  process.stderr.write(`${hasFailed ? 'failed' : 'done'} after ${seconds} s\n`);
  if (hasFailed)
    throw new Error(`${what} ended with ${result.exitCode ?? result.signalName}\n${result.output}`);
}
