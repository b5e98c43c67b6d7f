import type { NamedScenario } from '../scenario/read-scenarios.ts';
import { quantile } from '../result/recorder.ts';
import type { Simulation } from '../simulate.ts';

export type NamedSimulation = Pick<NamedScenario, 'name'> & { readonly simulation: Simulation };

/** What a person reads in the terminal. */
export function summaryLines(simulations: readonly NamedSimulation[]): readonly string[] {
  return simulations.flatMap(({ name, simulation }) => [
    ...(name === '' ? [] : [name]),
    ...linesOf(simulation),
    '',
  ]);
}

function linesOf({ arrived, answered, waiting, calls, samples }: Simulation): readonly string[] {
  const most = (values: readonly number[]): number => Math.max(0, ...values);
  const outcomes = Map.groupBy(answered, ({ outcome }) => outcome);
  const failures = [...outcomes]
    .filter(([outcome]) => outcome !== 'success')
    .map(([outcome, commands]) => `${commands.length} ${outcome}`);
  const players = answered.filter(({ type }) => !type.startsWith('report.'));
  const waits = players.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  return [
    `  commands   ${arrived} arrived = ${answered.length} answered + ${waiting} waiting at the end`,
    `  answers    ${percentage(outcomes.get('success')?.length ?? 0, answered.length)} success${failures.map((text) => `, ${text}`).join('')}`,
    `  players    p50 ${ms(quantile(waits, 0.5))}, p99 ${ms(quantile(waits, 0.99))}, slowest ${ms(waits.at(-1))}`,
    `  waiting    at most ${most(samples.map(({ ready }) => ready))} in queues, ${most(samples.map(({ inFlight }) => inFlight))} in flight, ${most(samples.map(({ waitingForRetry }) => waitingForRetry))} for a retry`,
    `  platform   ${calls} calls, ${(calls / Math.max(1, arrived)).toFixed(2)} a command; at most ${most(samples.map((sample) => sample.calls))} a second, ${most(samples.map(({ mostCallsAtOnce }) => mostCallsAtOnce))} at once`,
    `  workers    at most ${most(samples.map(({ workers }) => workers))}; a circuit open in ${samples.filter(({ openCircuits }) => openCircuits > 0).length} s of ${samples.length} s`,
  ];
}

function percentage(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(2)} %`;
}

function ms(value: number | undefined): string {
  return value === undefined ? '–' : `${Math.round(value)} ms`;
}
