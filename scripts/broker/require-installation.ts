import { messageOf } from '../message-of.ts';
import { findInstallation, type Installation } from './installation.ts';
import { chosenRelease, type Release, RELEASES } from './releases.ts';
import { unpackRelease } from './unpack-release.ts';

export interface RequireOptions {
  /** Default: the one that was chosen for this process; else any from 4.0 on. */
  readonly release?: Release | undefined;
  /** Default: what is installed on this machine. */
  readonly installed?: Installation | undefined;
  readonly unpack?: (release: Release) => Promise<Installation>;
}

/**
 * The RabbitMQ for private brokers: the installed one if it is of the release, or from 4.0 on if none was chosen; else
 * the newest of Debian's archive, unpacked once into the user's cache, without root.
 *
 * @throws {Error} saying why there is none
 */
export async function requireInstallation({
  release = chosenRelease(),
  installed = findInstallation(),
  unpack = unpackRelease,
}: RequireOptions = {}): Promise<Installation> {
  const isRight = ({ version }: Installation): boolean =>
    release === undefined ? isSupported(version) : version.startsWith(`${release}.`);
  if (installed !== undefined && isRight(installed)) return installed;
  const reasons: string[] = [];
  for (const each of release === undefined ? RELEASES.toReversed() : [release]) {
    try {
      return await unpack(each);
    } catch (error) {
      reasons.push(messageOf(error));
    }
  }
  throw new Error(reasons.join('; '));
}

/** Whether a version such as `4.3.6` is 4.0 or newer. */
export function isSupported(version: string): boolean {
  return Number.parseInt(version) >= 4;
}
