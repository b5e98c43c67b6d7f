import { seededRandom } from '../../apps/sandbox/src/random.ts';
import { storyOf } from './ledger/ledger.ts';
import { recoveryMs, type Verdict } from './ledger/verdict.ts';
import type { Row } from './rows/row.ts';
import { ChaosStage } from './stage/chaos-stage.ts';

export interface PlayOptions {
  /** The minimum number of commands. More are sent if the fault is not over by then. */
  readonly commands: number;
  readonly perSecond: number;
  readonly seed: number;
  /**
   * Called every second with a progress line. Default: updates one line on a terminal; otherwise prints some
   * of the lines.
   */
  readonly onProgress?: (line: string) => void;
  /** Called when the workers are ready, before the first command is sent. */
  readonly onStage?: (stage: ChaosStage) => void;
}

export interface RowResult extends Omit<Verdict, 'lost' | 'wrong' | 'cameAgain' | 'calledAgain' | 'slowest'> {
  readonly row: Row;
  readonly lost: number;
  readonly wrong: number;
  readonly crashes: number;
  /** Messages left in the queues of the service. */
  readonly stuck: number;
  readonly recoveryMs: number;
  readonly elapsedMs: number;
  /**
   * The history of each command that was lost, wrong, very slow, repeated or answered again, followed by the
   * last output of crashed workers.
   */
  readonly stories: readonly string[];
}

const PROGRESS_MS = 1_000;
/** If the output is no terminal, a line is printed every 15 s. */
const QUIET_EVERY = 15;
/** The maximum number of stories of each kind: lost or wrong commands, and repeated calls and replies. */
const MAX_STORIES = 20;
const MAX_AGAIN = 3;

/** Plays one row: sends the commands, applies its faults, and compares the replies with the commands. */
export async function playRow(row: Row, options: PlayOptions): Promise<RowResult> {
  const { commands, perSecond, seed, onProgress = progressOf() } = options;
  const startedMs = performance.now();
  const random = seededRandom(seed);
  await using stage = await ChaosStage.start({ wishes: row.wishes ?? {}, commands, perSecond, random });
  options.onStage?.(stage);
  const beganMs = Date.now();
  const progress = setInterval(() => {
    const { size, answered } = stage.ledger;
    const last = stage.happenings.at(-1)?.what;
    onProgress(`  ${size} of ${commands} sent, ${answered} answered${last ? `; ${last}` : ''}`);
  }, PROGRESS_MS);
  try {
    const verdict = await stage.play(() => row.disturb(stage));
    const stuck = await stage.left();
    const { lost, wrong, cameAgain, calledAgain, slowest, ...figures } = verdict;
    const faulty = [...new Set([...lost, ...wrong])].slice(0, MAX_STORIES);
    const again = [...calledAgain.slice(0, MAX_AGAIN), ...cameAgain.slice(0, MAX_AGAIN)];
    const told = new Set([...faulty, ...slowest, ...again]);
    return {
      ...figures,
      row,
      lost: lost.length,
      wrong: wrong.length,
      crashes: stage.crashes.length,
      stuck,
      recoveryMs: recoveryMs(stage.ledger.entries, stage.mendedMs),
      elapsedMs: performance.now() - startedMs,
      stories: [
        ...[...told].map((entry) => storyOf(entry, beganMs, stage.happenings)),
        ...stage.crashes.map((output) => `a worker crashed: ${output.slice(0, 1_000)}`),
      ],
    };
  } finally {
    clearInterval(progress);
    onProgress('');
  }
}

/** True if nothing was lost and no command took longer than its row allows. */
export function isSound({ lost, wrong, crashes, stuck, largestMs, row }: RowResult): boolean {
  return lost + wrong + crashes + stuck === 0 && largestMs <= (row.longestMs ?? Infinity);
}

/** Updates one line on a terminal; otherwise prints a line every 15 s. */
function progressOf(): (line: string) => void {
  let lines = 0;
  return (line) => {
    lines += 1;
    if (process.stdout.isTTY) process.stdout.write(`\r\u001B[K${line}`.slice(0, process.stdout.columns));
    else if (lines % QUIET_EVERY === 0 && line !== '') console.log(line);
  };
}
