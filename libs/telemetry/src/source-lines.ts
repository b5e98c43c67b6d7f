import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A place in a bundle, as a stack names it. */
const PLACE = /(file:\/\/\/\S+)\.cjs:(\d+):\d+/;

/** The sources of a bundle, which `scripts/build/bundle.ts` writes beside it as `NAME.lines.json`. */
export interface SourceLines {
  /** Relative to the repository. */
  readonly files: readonly string[];
  /** Runs of lines: the first line in the bundle, the index of the file, its line there, or 0 if unknown. */
  readonly runs: readonly (readonly [line: number, file: number, sourceLine: number])[];
}

/** Read at the first stack that is logged, so that a worker without errors pays nothing. */
const known = new Map<string, SourceLines | undefined>();

/** Replaces the place in a bundle by the file and line of the source; other frames stay as they are. */
export function inSource(frame: string): string {
  const [place, bundle = '', line = ''] = PLACE.exec(frame) ?? [];
  if (place === undefined) return frame;
  if (!known.has(bundle)) known.set(bundle, readLines(`${bundle}.lines.json`));
  const lines = known.get(bundle);
  const run = lines?.runs.findLast(([first]) => first <= Number(line));
  const file = run && lines?.files[run[1]];
  if (!run || file === undefined) return frame;
  const [first, , sourceLine] = run;
  return frame.replace(place, sourceLine === 0 ? file : `${file}:${sourceLine + Number(line) - first}`);
}

/** Undefined if there is no such file: programs that are not bundled have none. */
function readLines(url: string): SourceLines | undefined {
  try {
    return JSON.parse(readFileSync(fileURLToPath(url), 'utf8')) as SourceLines;
  } catch {
    return undefined;
  }
}
