import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

import { readCleartextMessage, readKeys, verify } from 'openpgp';

import { messageOf } from '../../message-of.ts';

/** A package of Debian, as the index of a suite describes it. */
export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  /** Relative to the mirror. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  /** The names of what it needs; of alternatives the first. */
  readonly dependencies: readonly string[];
}

/** A suite's index of packages (`Packages`), read as far as it is asked for. */
export class PackageIndex {
  readonly #paragraphs = new Map<string, string>();

  constructor(text: string) {
    for (const paragraph of text.split('\n\n')) {
      const name = /^Package: (\S+)$/m.exec(paragraph)?.[1];
      if (name !== undefined && !this.#paragraphs.has(name)) this.#paragraphs.set(name, paragraph);
    }
  }

  /**
   * A package and all that it needs, by name; names that the suite does not hold are virtual packages, and left out.
   *
   * @param leftOut names that are not needed, with all that only they need
   * @throws {Error} if the suite does not hold the package
   */
  closureOf(root: string, leftOut: ReadonlySet<string>): readonly DebianPackage[] {
    const wanted = [root];
    const chosen = new Map<string, DebianPackage>();
    for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
      if (chosen.has(name) || leftOut.has(name)) continue;
      const found = this.#read(name);
      if (found === undefined) continue;
      chosen.set(name, found);
      wanted.push(...found.dependencies);
    }
    if (!chosen.has(root)) throw new Error(`it holds no package ${root}`);
    return [...chosen.values()].toSorted((a, b) => a.name.localeCompare(b.name));
  }

  #read(name: string): DebianPackage | undefined {
    const paragraph = this.#paragraphs.get(name);
    if (paragraph === undefined) return undefined;
    const field = (wanted: string): string => new RegExp(`^${wanted}: (.*)$`, 'm').exec(paragraph)?.[1] ?? '';
    return {
      name,
      version: field('Version'),
      path: field('Filename'),
      sha256: field('SHA256'),
      bytes: Number(field('Size')),
      dependencies: [field('Depends'), field('Pre-Depends')]
        .flatMap((list) => list.split(','))
        .map((each) => /^[^ (:|]*/.exec(each.trim())?.[0] ?? '')
        .filter((each) => each !== ''),
    };
  }
}

/**
 * The automatic signing keys of Debian's archive, of releases 12 (B8B80B5B623EAB6AD8775C45B7C5D7D6350947F8) and 13
 * (04B54C3CDCA79751B16BC6B5225629DF75B188BD). Source: the package debian-archive-keyring.
 */
const KEYS = new URL('debian-archive-keys.asc', import.meta.url);
const MIRROR = 'https://deb.debian.org/debian';
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
const ANSWER_TIMEOUT_MS = 120_000;

/** Debian's archive of packages, of which nothing is believed that its keys have not signed. */
export class DebianArchive {
  readonly #mirror: string;
  readonly #keys: string;

  /** @param keys armored */
  constructor(mirror = process.env['DEBIAN_MIRROR'] || MIRROR, keys = readFileSync(KEYS, 'utf8')) {
    this.#mirror = mirror.replace(/\/$/, '');
    this.#keys = keys;
  }

  /**
   * The index of a suite for this machine.
   *
   * @throws {Error} saying what is wrong: no such machine, no network, or a signature or digest that does not fit
   */
  async indexOf(suite: string): Promise<PackageIndex> {
    const architecture = ARCHITECTURES[process.arch];
    if (process.platform !== 'linux' || architecture === undefined)
      throw new Error(`there are no packages for ${process.platform} on ${process.arch}`);
    const release = await this.#releaseOf(suite);
    const folder = `main/binary-${architecture}`;
    const digest = new RegExp(`^ ([0-9a-f]{64}) +\\d+ ${folder}/Packages\\.gz$`, 'm').exec(release)?.[1];
    if (digest === undefined) throw new Error(`the suite ${suite} lists no ${folder}/Packages.gz`);
    const packed = await this.#get(`dists/${suite}/${folder}/by-hash/SHA256/${digest}`, digest);
    return new PackageIndex((await promisify(gunzip)(packed)).toString());
  }

  /** @throws {Error} if it cannot be had, or is not the one that the index describes */
  download({ path, sha256 }: DebianPackage): Promise<Buffer> {
    return this.#get(path, sha256);
  }

  /** What is signed of a suite's release file. Its date is of no interest: an older state of a suite serves as well. */
  async #releaseOf(suite: string): Promise<string> {
    const path = `dists/${suite}/InRelease`;
    const text = (await this.#get(path)).toString();
    try {
      const message = await readCleartextMessage({ cleartextMessage: text });
      const verificationKeys = await readKeys({ armoredKeys: this.#keys });
      const { data } = await verify({ message, verificationKeys, expectSigned: true });
      return data;
    } catch (error) {
      throw new Error(`${this.#mirror}/${path} is not signed by Debian: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  async #get(path: string, sha256?: string): Promise<Buffer> {
    const url = `${this.#mirror}/${path}`;
    const body = await fetchAll(url).catch((error: unknown) => {
      const reason = messageOf((error as Error).cause ?? error);
      throw new Error(`${url} cannot be had: ${reason}`, { cause: error });
    });
    const found = createHash('sha256').update(body).digest('hex');
    if (sha256 !== undefined && found !== sha256)
      throw new Error(`${url} has the SHA-256 ${found} instead of ${sha256}`);
    return body;
  }
}

async function fetchAll(url: string): Promise<Buffer> {
  const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`it is answered with ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}
