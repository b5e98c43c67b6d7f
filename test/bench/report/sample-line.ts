import type { Sample } from '../measure/take-sample.ts';

/** One line for one sample, printed during the run. */
export function sampleLine(round: number, name: string, sample: Sample): string {
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
