import type { ChaosStage, StageWishes } from './stage/chaos-stage.ts';

/** One way to break something while commands are under way. */
export interface Row {
  /** As `--only` calls it. */
  readonly name: string;
  /** As the table calls it. */
  readonly title: string;
  /** What it needs beyond two workers, a broker of one node and a Redis. */
  readonly wishes?: StageWishes;
  /** What is not for the services that this one is compared with: it breaks what only this one has. */
  readonly isOurs?: boolean;
  /** Breaks and mends things while the commands are sent; settles when nothing is broken any more. */
  disturb(stage: ChaosStage): Promise<void>;
}
