import { seededRandom } from '../../apps/sandbox/src/faults/seeded-random.ts';
import { SimulatedBroker } from './broker/simulated-broker.ts';
import { startArrivals } from './load/arrivals.ts';
import { Workers } from './load/workers.ts';
import { SimulatedPlatform } from './platform/simulated-platform.ts';
import { type Answered, Recorder, type Sample } from './result/recorder.ts';
import type { Scenario } from './scenario/scenario.ts';
import { inSimulatedTime } from './simulated-time.ts';

/** How a simulation went. At its end, what arrived is answered or waits. */
export interface Simulation {
  readonly scenario: Scenario;
  readonly arrived: number;
  readonly answered: readonly Answered[];
  /** Commands in queues, retry queues and workers at the end. */
  readonly waiting: number;
  readonly calls: number;
  readonly samples: readonly Sample[];
}

/** Plays a scenario. The same scenario gives the same result: chance is seeded, and time is simulated. */
export async function simulate(scenario: Scenario): Promise<Simulation> {
  const { seed, forMs, load, workers: model, settings } = scenario;
  const randomOf = (part: number): (() => number) => seededRandom(seed * PARTS + part);
  const broker = new SimulatedBroker({
    interactive: settings.INTERACTIVE_DEADLINE_MS,
    reports: settings.REPORTS_DEADLINE_MS,
  });
  const platform = new SimulatedPlatform(scenario, randomOf(1));
  const recorder = new Recorder();
  const workers = new Workers({
    settings,
    model,
    broker,
    exchange: platform.exchange,
    random: randomOf(2),
    onAnswered: (command, outcome) => recorder.note(command, outcome),
  });
  await inSimulatedTime(forMs, () => {
    recorder.start({ broker, platform: platform.load, workers });
    workers.start();
    startArrivals(load, randomOf(3), (type) => broker.send(type));
  });
  return {
    scenario,
    arrived: broker.sent,
    answered: recorder.answered,
    waiting: broker.ready + broker.unacknowledged + broker.waitingForRetry,
    calls: platform.load.calls,
    samples: recorder.samples,
  };
}

/** Arrivals, platform and workers have each their own chance: what one does leaves the others as they are. */
const PARTS = 4;
