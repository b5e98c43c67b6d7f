import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../../../scripts/root.ts';
import type { Contestant } from '../contestants/contestant.ts';
import { type SelfTime, type SelfTimes, selfTimes } from '../measure/self-times.ts';
import type { Stage } from '../stage/stage.ts';
import { Entrant } from './entrant.ts';
import type { Plan } from './plan.ts';

const INTERVAL_US = 500;
const MOST_EXPENSIVE = 40;

export interface Profile {
  readonly selfTimes: SelfTimes;
  readonly commands: number;
  /** To open in the developer tools of a browser, or with speedscope. */
  readonly file: string;
}

/** Where the processor time of a warm worker goes, from a profile of the closed loop by V8. */
export async function profile(contestant: Contestant, stage: Stage, plan: Plan): Promise<Profile> {
  const folder = join(stage.workplace.folder, `profile-${contestant.name}`);
  mkdirSync(folder);
  const flags = ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-interval=${INTERVAL_US}`];
  const window = { fromMs: 0, toMs: 0 };
  {
    await using entrant = await Entrant.start(contestant, stage, plan, flags);
    window.fromMs = nowMs();
    await entrant.sample({ ...plan, openLoopMs: 0 });
    window.toMs = nowMs();
  }
  const [written] = readdirSync(folder);
  if (written === undefined) throw new Error(`${contestant.name} ended without its profile`);
  const kept = join(root, '.run', 'profiles');
  mkdirSync(kept, { recursive: true });
  const file = join(kept, `${contestant.name}.cpuprofile`);
  renameSync(join(folder, written), file);
  return { selfTimes: selfTimes(file, window), commands: plan.commands, file };
}

/** What a profile shows: the most expensive functions, and the same by package. */
export function profileLines(name: string, { selfTimes: times, commands, file }: Profile): string[] {
  const { busyMs, functions, places } = times;
  const line = ({ name: what, ms }: SelfTime): string =>
    `${((ms / commands) * 1_000).toFixed(1).padStart(7)} ${((ms / busyMs) * 100).toFixed(1).padStart(6)} %  ${what}`;
  return [
    `${name}: ${((busyMs / commands) * 1_000).toFixed(0)} µs a command while it is profiled`,
    '',
    '     µs    self  by package',
    ...places.map(line),
    '',
    '     µs    self  by function',
    ...functions.slice(0, MOST_EXPENSIVE).map(line),
    '',
    `The whole profile: ${file}`,
  ];
}

/** On the clock of V8's profiles. */
function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
