import type { SelfTime } from '../measure/self-times.ts';
import type { Profile } from '../runs/profile.ts';

const MOST_EXPENSIVE = 40;

/** What a profile shows: the most expensive functions, and the same by package. */
export function profileLines(name: string, { selfTimes, commands, file }: Profile): string[] {
  const { busyMs, functions, places } = selfTimes;
  const line = ({ name: what, ms }: SelfTime): string =>
    `${((ms / commands) * 1_000).toFixed(1).padStart(7)} ${((ms / busyMs) * 100).toFixed(1).padStart(6)} %  ${what}`;
  return [
    `${name}: ${((busyMs / commands) * 1_000).toFixed(0)} µs a command while it is profiled`,
    '',
    '     µs    self  by package',
    ...places.map(line),
    '',
    '     µs    self  by function',
    ...functions.slice(0, MOST_EXPENSIVE).map(line),
    '',
    `The whole profile: ${file}`,
  ];
}
