import { CONTESTANTS } from './contestants/contestants.ts';
import { ours } from './contestants/ours.ts';
import { profileLines } from './report/profile-lines.ts';
import { Progress } from './report/progress.ts';
import { compare } from './runs/compare.ts';
import { type Plan } from './runs/plan.ts';
import { profile } from './runs/profile.ts';
import { openStage } from './stage/stage.ts';

export interface BenchOptions {
  readonly plan: Plan;
  /** The beginnings of the names of contestants. Default: all. */
  readonly only: readonly string[];
  readonly other?: string | undefined;
  readonly isProfile: boolean;
}

export async function bench({ plan, only, other, isProfile }: BenchOptions): Promise<void> {
  const all = other === undefined ? CONTESTANTS : [...CONTESTANTS, ours({ version: 'other' })];
  const chosen = all.filter(({ name }) => only.length === 0 || only.some((begin) => name.startsWith(begin)));
  console.log('Starts a broker …');
  await using stage = await openStage(other === undefined ? {} : { other });
  if (isProfile) {
    for (const contestant of chosen) {
      console.log(profileLines(contestant.name, await profile(contestant, stage, plan)).join('\n'));
    }
    return;
  }
  using progress = new Progress(plan.rounds * chosen.length);
  await compare(stage, chosen, plan, progress);
}
