import { expect, it } from '@jest/globals';

import { figure } from './report/figure.ts';
import { summaryLines } from './report/lines.ts';
import { scenarioOf } from './scenario/scenario.fixture.ts';
import { type Simulation, simulate } from './simulate.ts';

const run = (commandLine: string): Promise<Simulation> => simulate(scenarioOf(commandLine));
const mostOf = (values: readonly number[]): number => Math.max(...values);
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

it('gives the same result for the same seed, and another for another', async () => {
  const commandLine = '--for 20 --rate 20 --reports 1 --failures 0.2 --outage 5-8:silent';
  const [first, second, other] = [
    await run(commandLine),
    await run(commandLine),
    await run(`${commandLine} --seed 2`),
  ];
  expect(second).toEqual(first);
  expect(other.answered).not.toEqual(first.answered);
});

it.each([
  ['in good times', '--for 20 --rate 20'],
  ['while the platform is down', '--for 30 --rate 20 --reports 1 --outage 5-60:errors'],
  ['while it is silent', '--for 30 --rate 20 --reports 1 --outage 5-60:silent'],
  ['while there is too much', '--for 20 --rate 50 --cpu 40'],
  ['while workers come and go', '--for 360 --rate 1 --workers 1-4 --scale-at 2 --burst 20:60 --cpu 200'],
])('loses and makes up no command %s', async (_when, commandLine) => {
  const { arrived, answered, waiting, samples } = await run(commandLine);
  expect(arrived).toBe(answered.length + waiting);
  let open = 0;
  for (const sample of samples) {
    open += sample.arrived - sample.succeeded - sample.failed;
    expect(sample.ready + sample.inFlight + sample.waitingForRetry).toBe(open);
  }
});

it('sends as many commands as it was asked to, several in a millisecond if need be', async () => {
  const { arrived } = await run('--for 2 --rate 3000 --reports 0 --latency 1 --latency-p99 1');
  expect(arrived / 6_000).toBeCloseTo(1, 1);
});

it("keeps Little's law: what waits is the rate times the wait", async () => {
  const { samples, answered, scenario } = await run('--for 300 --rate 5 --latency 500 --latency-p99 1500');
  const waiting = mean(samples.map(({ ready, inFlight }) => ready + inFlight));
  const waitMs = mean(answered.map(({ tookMs }) => tookMs));
  const rate = answered.length / (scenario.forMs / 1_000);
  expect(waiting / (rate * (waitMs / 1_000))).toBeCloseTo(1, 1);
});

it('makes no more calls at once than the worker has connections for an operation', async () => {
  const { samples } = await run(
    '--for 10 --rate 0 --reports 0 --games 0 --burst 1:500 --set PLATFORM_CONNECTIONS=16 --latency 2000 --latency-p99 2000',
  );
  expect(mostOf(samples.map(({ mostCallsAtOnce }) => mostCallsAtOnce))).toBe(12);
});

it('takes no more commands than the prefetch', async () => {
  const { samples } = await run(
    '--for 10 --rate 0 --reports 0 --burst 1:500 --set INTERACTIVE_PREFETCH=50 --latency 3000 --latency-p99 3000',
  );
  expect(mostOf(samples.map(({ inFlight }) => inFlight))).toBe(50);
  expect(mostOf(samples.map(({ ready }) => ready))).toBe(450);
});

it('keeps calls from a platform that is down, and goes on when it is back', async () => {
  const { samples, answered } = await run('--for 50 --rate 20 --outage 10-40:errors');
  const during = samples.filter(({ atMs }) => atMs > 20_000 && atMs <= 40_000);
  expect(mean(during.map(({ calls }) => calls))).toBeLessThan(2);
  expect(answered.some(({ outcome }) => outcome === 'CIRCUIT_OPEN')).toBe(true);
  expect(samples.at(-1)).toMatchObject({ failed: 0, openCircuits: 0 });
});

it('has a report wait for the platform, and a player not', async () => {
  const { answered } = await run('--for 120 --rate 5 --reports 1 --outage 10-40:refused');
  const codes = (isReport: boolean): Set<string> =>
    new Set(
      answered.filter(({ type }) => type.startsWith('report.') === isReport).map(({ outcome }) => outcome),
    );
  expect(codes(true)).toEqual(new Set(['success']));
  expect(codes(false)).toContain('PLATFORM_UNAVAILABLE');
});

it('answers by the deadline whatever the platform does', async () => {
  const { answered } = await run(
    '--for 30 --rate 10 --outage 5-60:silent --set CIRCUIT_FAILURE_RATE=100 --set CIRCUIT_MINIMUM_CALLS=1000000 --set INTERACTIVE_DEADLINE_MS=4000',
  );
  expect(mostOf(answered.map(({ tookMs }) => tookMs))).toBeLessThanOrEqual(4_002);
  expect(answered.some(({ outcome }) => outcome === 'COMMAND_EXPIRED')).toBe(true);
});

it('adds workers only if what is in flight counts: a worker takes more than it can do', async () => {
  const commandLine = '--for 60 --rate 10 --cpu 150 --workers 1-8 --scale-at 20';
  const workersOf = async (scaleOn: string): Promise<number> =>
    mostOf((await run(`${commandLine} --scale-on ${scaleOn}`)).samples.map(({ workers }) => workers));
  expect(await workersOf('ready')).toBe(1);
  expect(await workersOf('all')).toBeGreaterThan(1);
});

it('draws and sums up what it found', async () => {
  const simulation = await run('--for 10 --rate 10 --outage 5-8:errors');
  const named = [{ name: 'PLATFORM_QUEUE=<1', simulation }];
  const svg = figure(named);
  expect(svg).toContain('PLATFORM_QUEUE=&lt;1');
  expect(svg.match(/<path /g)).toHaveLength(12);
  expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  expect(summaryLines(named).join('\n')).toContain(`${simulation.arrived} arrived = `);
});
