import { WorkerUnderTest } from '../../../test/support/worker-under-test.ts';
import { answerJson, type PlatformBehaviour } from '../../../test/support/platform-stub.ts';
import { healthy, playerOf } from '../../../test/support/platform-answers.ts';
import type { Row } from '../rows/row.ts';
import { PAGES } from '../stage/chaos-stage.ts';

/** A version of the service with its settings. */
interface Generation {
  /** The folder of its build. Default: this repository. */
  readonly folder?: string;
  /** Settings that override those of every worker of a stage. */
  readonly variables?: Readonly<Record<string, string>>;
}

type GenerationName = 'old' | 'new';

/**
 * The steps: at a share of the load, a worker is replaced by one of a generation (upgrade, then rollback).
 */
const STEPS: readonly (readonly [share: number, place: number, name: GenerationName])[] = [
  [0.15, 0, 'new'],
  [0.4, 1, 'new'],
  [0.6, 0, 'old'],
  [0.85, 1, 'old'],
];
/** The number of commands that are sent again after each step. */
const REPEATS = 20;
/** Every third report fails, so that it passes through a retry queue from one generation to the other. */
const FAILING_EVERY = 3;

/** Two workers, replaced one after the other by workers of another generation, and back. */
export function upgradeRow(generations: Readonly<Record<GenerationName, Generation>>): Row {
  /** The generation of the next worker, by worker number. */
  const places = new Map<number, GenerationName>();
  return {
    name: 'upgrade',
    title: 'two workers replaced by new ones in turn, and back',
    wishes: {
      // Each failed report passes through a retry queue.
      variables: { PLATFORM_MAX_ATTEMPTS: '1', CIRCUIT_MINIMUM_CALLS: '100000' },
      start: (number, variables) => {
        const { folder, variables: own } = generations[places.get(number) ?? 'old'];
        return new WorkerUnderTest({ ...variables, ...own }, folder);
      },
    },
    async disturb(stage) {
      stage.fault = withFailingReports();
      for (const [share, place, name] of STEPS) {
        await stage.at(share);
        stage.breaks(`worker ${place} is replaced by a${name === 'old' ? 'n old' : ' new'} one`);
        places.set(place, name);
        await stage.workers.end(place, 'SIGTERM');
        await stage.workers.areReady();
        stage.mends('it takes commands');
        await repeat(stage);
      }
    },
  };
}

/** Sends the last answered sessions again, under the same ids. */
async function repeat({ ledger, caller }: Parameters<Row['disturb']>[0]): Promise<void> {
  const answered = ledger.entries.filter(
    ({ type, replies }) => type === 'session.create' && replies.length > 0,
  );
  await Promise.all(
    answered.slice(-REPEATS).map(({ id }) => caller.publish('session.create', id, { userId: id })),
  );
}

function withFailingReports(): PlatformBehaviour {
  let reports = 0;
  return (request, response, socket) => {
    const isReport = playerOf(request) === undefined;
    if (isReport && (reports += 1) % FAILING_EVERY === 0) answerJson(response, 503, { errors: [] });
    else return healthy(PAGES)(request, response, socket);
  };
}
