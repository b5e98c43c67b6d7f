import { OurWorker } from '../contestants/ours.ts';
import { LoadDriver } from '../driver/load-driver.ts';
import { processUsage } from '../measure/usage.ts';
import type { Progress } from '../report/progress.ts';
import type { Stage } from '../stage/stage.ts';
import type { Finish } from './entrant.ts';
import type { Plan } from './plan.ts';

/**
 * The memory of workers that never have more than a moderate rate, one after the other. That of a worker that was also
 * at full speed would show the peak of that.
 */
export async function moderateMemory(stage: Stage, plan: Plan, progress: Progress): Promise<Finish[]> {
  const { rounds, perSecond, moderateMs: forMs } = plan;
  const finishes: Finish[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    progress.step(`memory at ${perSecond}/s, round ${round} of ${rounds}`);
    await using worker = await OurWorker.start(stage);
    await using driver = await LoadDriver.open({ url: stage.amqpUrl, dialect: worker.dialect });
    await driver.openLoop({ perSecond, forMs });
    const tally = await driver.settle();
    const { peakMemoryMib } = processUsage(worker.process.pid);
    finishes.push({ tally, peakMemoryMib });
    progress.done(
      `round ${round}  memory of a worker at ${perSecond}/s alone: at most ${peakMemoryMib.toFixed(0)} MiB`,
    );
  }
  return finishes;
}
