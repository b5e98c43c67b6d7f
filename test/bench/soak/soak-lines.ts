import type { Tally } from '../driver/ledger.ts';
import { memoryVerdict, type Trend } from './memory-verdict.ts';
import type { SoakResult } from './soak.ts';
import type { SoakSample } from './soak-sample.ts';
import { sparkline } from './sparkline.ts';

const WIDTH = 60;

interface Column {
  readonly label: string;
  readonly of: (sample: SoakSample) => number;
  readonly digits: number;
}

const COLUMNS: readonly Column[] = [
  { label: 'resident memory, MiB', of: ({ rssMib }) => rssMib, digits: 0 },
  { label: 'heap used, MiB', of: ({ heapUsedMib }) => heapUsedMib, digits: 0 },
  { label: 'CPU a command, ms', of: ({ cpuMsPerCommand }) => cpuMsPerCommand, digits: 2 },
  { label: 'event loop behind, ms', of: ({ loopLagMs }) => loopLagMs, digits: 0 },
  { label: 'messages waiting', of: ({ queued }) => queued, digits: 0 },
];

/** What is shown while it runs. */
export function sampleLine(sample: SoakSample, { sent, wrong, double, stray }: Tally): string {
  const { atSeconds, answered, rssMib, heapUsedMib, cpuMsPerCommand, loopLagMs, queued } = sample;
  return [
    `${atSeconds.toFixed(0).padStart(5)} s`,
    `${answered} of ${sent} answered, ${wrong + double + stray} wrong`,
    `${rssMib.toFixed(0)} MiB resident, heap ${heapUsedMib.toFixed(0)} MiB`,
    `${cpuMsPerCommand.toFixed(2)} ms of CPU a command`,
    `loop ${loopLagMs.toFixed(0)} ms behind`,
    `${queued} waiting`,
  ].join('  ');
}

/** The curves, and what they come to. */
export function resultLines({
  samples,
  tally,
  unfinished,
  strayDeadLetters,
  faults,
  isFaultless,
}: SoakResult): string[] {
  // The last look is of a worker that has nothing to do any more.
  const busy = samples.slice(0, -1);
  return [
    '',
    ...COLUMNS.map((column) => curveLine(column, busy)),
    '',
    ...memoryLines(busy),
    `${tally.sent} commands: ${tally.right} answered right, ${tally.wrong} wrong, ` +
      `${tally.double + tally.stray} replies too many, ` +
      `${Math.max(tally.missing, unfinished)} without a last reply, ${strayDeadLetters} dead letters too many`,
    ...faults.map((fault) => `  ${fault}`),
    isFaultless
      ? 'Each command got exactly its own replies.'
      : 'Not each command got exactly its own replies.',
  ];
}

/** `false` if its memory grows; `undefined` if the run is too short to tell. */
export function isMemoryFlat({ samples }: SoakResult): boolean | undefined {
  return memoryVerdict(samples.slice(0, -1)).isFlat;
}

function curveLine({ label, of, digits }: Column, samples: readonly SoakSample[]): string {
  const values = samples.map(of);
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(digits));
  return `${label.padEnd(22)} ${sparkline(values, WIDTH)}  ${least} to ${most}`;
}

function memoryLines(samples: readonly SoakSample[]): string[] {
  const { inUse, outsideHeap, isFlat } = memoryVerdict(samples);
  if (isFlat === undefined) return ['The run is too short to say whether the memory is flat.'];
  return [
    trendLine('In use after collections', inUse),
    trendLine('Resident outside of the heap', outsideHeap),
    `Memory flat: ${isFlat ? 'yes' : 'no'}`,
  ];
}

function trendLine(name: string, { slope, slopeError, mean }: Trend): string {
  const [growth, error] = [slope, 2 * slopeError].map((value) => value.toFixed(1));
  return `${name}: ${mean.toFixed(0)} MiB, growing by ${growth} ± ${error} MiB an hour`;
}
