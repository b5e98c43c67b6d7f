import type { Contestant } from '../contestants/contestant.ts';
import type { Progress } from '../report/progress.ts';
import type { Stage } from '../stage/stage.ts';
import { Entrant, type Finish, type Sample } from './entrant.ts';
import type { Plan } from './plan.ts';

/** What one kind of worker did in all rounds. */
export interface Result {
  readonly contestant: Pick<Contestant, 'name' | 'label' | 'queueType'>;
  /** One a round, in their order. */
  readonly samples: Sample[];
  /** One a process. */
  readonly finishes: Finish[];
}

/**
 * Measures workers in turn, round by round, so that whatever else the machine does meets all of them; each round
 * begins with another.
 */
export async function compare(
  stage: Stage,
  contestants: readonly Contestant[],
  plan: Plan,
  progress: Progress,
): Promise<Result[]> {
  const results = contestants.map((contestant): Result => ({ contestant, samples: [], finishes: [] }));
  const kept = new Map<string, Entrant>();
  await using processes = new AsyncDisposableStack();
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const index of rotated(contestants.length, round)) {
      const [contestant, result] = [contestants[index], results[index]];
      if (contestant === undefined || result === undefined) continue;
      const { name } = contestant;
      progress.step(`round ${round + 1} of ${plan.rounds}, ${name}`);
      const entrant = kept.get(name) ?? processes.use(await Entrant.start(contestant, stage, plan));
      kept.set(name, entrant);
      const sample = await entrant.sample(plan);
      result.samples.push(sample);
      if (plan.isFresh || round === plan.rounds - 1) {
        result.finishes.push(await entrant.finish());
        await entrant[Symbol.asyncDispose]();
        kept.delete(name);
      }
      progress.done(sampleLine(round + 1, name, sample));
    }
  }
  return results;
}

function rotated(count: number, by: number): number[] {
  return Array.from({ length: count }, (_, index) => (index + by) % count);
}

/** One line that tells of one sample while the run goes on. */
function sampleLine(round: number, name: string, sample: Sample): string {
  const { cpuMsPerCommand, commandsPerSecond, p50Ms, p99Ms, shares } = sample;
  return [
    `round ${round}`,
    name.padEnd(24),
    `${cpuMsPerCommand.toFixed(3)} ms of CPU a command`,
    `${commandsPerSecond.toFixed(0).padStart(5)}/s`,
    `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
    Object.entries(shares.parts)
      .map(([part, share]) => `${part} ${(share * 100).toFixed(0)} %`)
      .join(', '),
  ].join('  ');
}
