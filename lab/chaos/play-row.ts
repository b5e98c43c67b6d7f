import { seededRandom } from '../../apps/sandbox/src/random.ts';
import { storyOf } from './ledger/ledger.ts';
import { recoveryMs, type Verdict } from './ledger/verdict.ts';
import type { Row } from './rows/row.ts';
import { ChaosStage } from './stage/chaos-stage.ts';

export interface PlayOptions {
  /** At least; more are sent until nothing is broken any more. */
  readonly commands: number;
  readonly perSecond: number;
  readonly seed: number;
  /** Called each second with a line for people. Default: a terminal shows it; elsewhere it is printed now and then. */
  readonly onProgress?: (line: string) => void;
  /** Called when the workers take commands, before the first is sent. */
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
   * What happened to the commands that were lost, answered wrongly, very slow, run again or answered again; then what
   * crashed workers have said.
   */
  readonly stories: readonly string[];
}

const PROGRESS_MS = 1_000;
/** If the output is no terminal, a line each quarter minute is enough. */
const QUIET_EVERY = 15;
/** Enough stories of lost or wrong commands; a few of repeated calls and replies are enough. */
const MAX_STORIES = 20;
const MAX_AGAIN = 3;

/** Plays one row: sends the commands, breaks what the row breaks meanwhile, and holds the answers against the commands. */
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

/** True if nothing was lost, as every row has to show, and nothing took longer than its row allows. */
export function isSound({ lost, wrong, crashes, stuck, largestMs, row }: RowResult): boolean {
  return lost + wrong + crashes + stuck === 0 && largestMs <= (row.longestMs ?? Infinity);
}

/** A line that a terminal sees change; elsewhere, one now and then. */
function progressOf(): (line: string) => void {
  let lines = 0;
  return (line) => {
    lines += 1;
    if (process.stdout.isTTY) process.stdout.write(`\r\u001B[K${line}`.slice(0, process.stdout.columns));
    else if (lines % QUIET_EVERY === 0 && line !== '') console.log(line);
  };
}
