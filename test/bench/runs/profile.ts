import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../../../scripts/root.ts';
import type { Contestant } from '../contestants/contestant.ts';
import { type SelfTimes, selfTimes } from '../measure/self-times.ts';
import type { Stage } from '../stage/stage.ts';
import { Entrant } from './entrant.ts';
import type { Plan } from './plan.ts';

const INTERVAL_US = 500;

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

/** On the clock of V8's profiles. */
function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
