import { readFileSync } from 'node:fs';

/** What V8 writes with `--cpu-prof`, as far as it is read here. Times are in microseconds of the monotonic clock. */
interface CpuProfile {
  readonly startTime: number;
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Time that was spent in a function itself, not in what it called. */
export interface SelfTime {
  readonly name: string;
  readonly ms: number;
}

export interface SelfTimes {
  /** Of the window, without idle time. */
  readonly busyMs: number;
  /** Most expensive first. */
  readonly functions: readonly SelfTime[];
  /** The same, by the package, or folder of `libs` and `apps`, of the function. */
  readonly places: readonly SelfTime[];
}

const IDLE = '(idle)';

/**
 * The self times in a window of a profile, so that start and warm-up stay out.
 *
 * @param window in milliseconds of `process.hrtime()`
 */
export function selfTimes(
  file: string,
  window: { readonly fromMs: number; readonly toMs: number },
): SelfTimes {
  const { startTime, nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8')) as CpuProfile;
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const functions = new Map<string, number>();
  const places = new Map<string, number>();
  let nowUs = startTime;
  for (const [index, id] of samples.entries()) {
    nowUs += timeDeltas[index] ?? 0;
    const frame = frames.get(id);
    if (frame === undefined || frame.functionName === IDLE) continue;
    if (nowUs < window.fromMs * 1_000 || nowUs > window.toMs * 1_000) continue;
    // The time until the next sample is this one's.
    const ms = (timeDeltas[index + 1] ?? 0) / 1_000;
    const place = placeOf(frame.url, frame.functionName);
    const name = frame.functionName || '(anonymous)';
    const where = frame.url === '' ? place : `${place} ${fileOf(frame.url)}:${frame.lineNumber + 1}`;
    add(functions, where === name ? name : `${name}  ${where}`, ms);
    add(places, place, ms);
  }
  return {
    busyMs: [...places.values()].reduce((sum, ms) => sum + ms, 0),
    functions: sorted(functions),
    places: sorted(places),
  };
}

function placeOf(url: string, functionName: string): string {
  if (url === '') return functionName.startsWith('(') ? functionName : 'V8';
  if (url.startsWith('node:')) return 'Node.js';
  if (url.startsWith('wasm:')) return 'WebAssembly';
  const [, packageName] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
  const [, folder] = /\/dist\/((?:apps|libs)\/[^/]+)\//.exec(url) ?? [];
  return packageName ?? folder ?? 'the program';
}

function fileOf(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}

function add(times: Map<string, number>, name: string, ms: number): void {
  times.set(name, (times.get(name) ?? 0) + ms);
}

function sorted(times: ReadonlyMap<string, number>): SelfTime[] {
  return [...times].map(([name, ms]) => ({ name, ms })).sort((a, b) => b.ms - a.ms);
}
