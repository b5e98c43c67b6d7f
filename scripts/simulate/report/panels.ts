import type { Sample } from '../result/recorder.ts';

/** One line of a panel; `undefined` where there is nothing to draw. */
interface Line {
  readonly label: string;
  readonly valueOf: (sample: Sample) => number | undefined;
}

/** One plot: up to three lines over the same time and scale. */
export interface Panel {
  readonly title: string;
  readonly lines: readonly Line[];
}

/** What a figure shows of each simulation, from top to bottom. */
export const PANELS: readonly Panel[] = [
  {
    title: 'Commands a second',
    lines: [
      { label: 'arrived', valueOf: ({ arrived }) => arrived },
      { label: 'succeeded', valueOf: ({ succeeded }) => succeeded },
      { label: 'failed', valueOf: ({ failed }) => failed },
    ],
  },
  {
    title: 'Commands that wait',
    lines: [
      { label: 'in queues', valueOf: ({ ready }) => ready },
      { label: 'in flight', valueOf: ({ inFlight }) => inFlight },
      { label: 'for a retry', valueOf: ({ waitingForRetry }) => waitingForRetry },
    ],
  },
  {
    title: 'Players wait, ms',
    lines: [
      { label: 'p50', valueOf: ({ p50Ms }) => p50Ms },
      { label: 'p99', valueOf: ({ p99Ms }) => p99Ms },
    ],
  },
  {
    title: 'Calls to the platform',
    lines: [
      { label: 'a second', valueOf: ({ calls }) => calls },
      { label: 'at once', valueOf: ({ mostCallsAtOnce }) => mostCallsAtOnce },
    ],
  },
  {
    title: 'Workers and circuits',
    lines: [
      { label: 'workers', valueOf: ({ workers }) => workers },
      { label: 'open circuits', valueOf: ({ openCircuits }) => openCircuits },
    ],
  },
];
