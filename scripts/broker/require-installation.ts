import { installPackage } from '../apt/install-package.ts';
import { messageOf } from '../message-of.ts';
import { findInstallation, type Installation, isOf } from './installation.ts';
import { chosenRelease, type Release, RELEASES } from './releases/releases.ts';
import { unpackedRelease, unpackRelease } from './releases/unpack-release.ts';

/** Those that may be used if none was chosen, newest first: 3.10 is for those who ask for it. */
const NEWEST_FIRST = RELEASES.toReversed().filter((release) => release !== '3.10');

/**
 * The RabbitMQ for private brokers: of the release that was chosen, else one that is on this machine, else one that is
 * brought: unpacked without root, or installed.
 *
 * @throws {Error} saying why there is none
 */
export async function requireInstallation(): Promise<Installation> {
  const release = chosenRelease();
  if (release !== undefined) return requireRelease(release);
  return findInstallation() ?? installationAtHand() ?? (await unpackNewest().catch(installAfter));
}

/** A certain release: the installed one if it is that, else unpacked from Debian, once. */
export async function requireRelease(release: Release): Promise<Installation> {
  const installed = findInstallation();
  return installed !== undefined && isOf(installed, release) ? installed : unpackRelease(release);
}

/** The newest that is on this machine: unpacked before, or installed. */
export function installationAtHand(): Installation | undefined {
  const unpacked = NEWEST_FIRST.map((release) => unpackedRelease(release));
  return unpacked.find((each) => each !== undefined) ?? findInstallation();
}

/**
 * The newest release that Debian has, unpacked without root.
 *
 * @throws {Error} saying why none can be had
 */
export async function unpackNewest(): Promise<Installation> {
  const reasons: string[] = [];
  for (const release of NEWEST_FIRST) {
    try {
      return await unpackRelease(release);
    } catch (error) {
      reasons.push(messageOf(error));
    }
  }
  throw new Error(reasons.join('; '));
}

/**
 * The package of Debian or Ubuntu, installed as root.
 *
 * @throws {Error} saying what to install
 */
export async function installServer(): Promise<Installation> {
  await installPackage('rabbitmq-server');
  const installed = findInstallation();
  if (installed !== undefined) return installed;
  throw new Error('the package rabbitmq-server was installed, but holds no server where it is expected');
}

async function installAfter(reason: unknown): Promise<Installation> {
  process.stderr.write(`poker-bridge: ${messageOf(reason)}\n`);
  return installServer();
}
