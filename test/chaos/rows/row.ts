import { setTimeout as sleep } from 'node:timers/promises';

import type { ChaosStage, StageWishes } from '../stage/chaos-stage.ts';

/** One way to break something while commands are under way. */
export interface Row {
  /** As `--only` calls it. */
  readonly name: string;
  /** As the table calls it. */
  readonly title: string;
  readonly wishes?: StageWishes;
  /** Breaks and mends things while the commands are sent; settles when nothing is broken any more. */
  disturb(stage: ChaosStage): Promise<void>;
}

type Act = (stage: ChaosStage) => unknown;

/** Breaks something once, and mends it after some time. */
export function once(what: string, downMs: number, breaks: Act, mends: Act): Row['disturb'] {
  return (stage) =>
    stage.times(1, async () => {
      stage.breaks(what);
      await breaks(stage);
      await sleep(downMs);
      await mends(stage);
      stage.mends(`${what}: over`);
    });
}
