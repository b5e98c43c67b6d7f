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
