import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { ROWS } from '../../../lab/chaos/rows/rows.ts';
import { ChaosStage } from '../../../lab/chaos/stage/chaos-stage.ts';
import { until } from '../../support/until.ts';

const NOTICED_MS = 10_000;
const LONGEST_MS = 15_000;

/** `npm run chaos -- --only partition-minority` tests the same for longer, with more commands. */
describe('a partitioned node of three that its clients still reach', () => {
  const row = ROWS.find(({ name }) => name === 'partition-minority')!;
  let stage: ChaosStage;

  beforeAll(async () => {
    const { wishes = {} } = row;
    stage = await ChaosStage.start({ wishes, commands: 200, perSecond: 20, random: () => 0.5 });
  });
  afterAll(() => stage?.[Symbol.asyncDispose]());

  it('is left by an idle worker within ten seconds, and the worker is not ready until then', async () => {
    const { broker, workers } = stage;
    const [worker] = workers.programs;
    const ready = () => worker!.get('/health/ready');
    broker.isolate(broker.cluster.nodes[0]!);
    const refusal = await until(
      'the worker is not ready',
      async () => {
        const { status, body } = await ready();
        return status === 503 && body;
      },
      NOTICED_MS,
    );
    expect(refusal).toMatch(/cut off from the majority/);
    // The worker uses its next connection once a probe was confirmed there.
    await workers.areReady();
    broker.reunite();
  });

  it('delays no command for more than 15 s', async () => {
    const { lost, wrong, failures, largestMs } = await stage.play(() => row.disturb(stage));
    expect({ lost, wrong, failures }).toEqual({ lost: [], wrong: [], failures: [] });
    expect(largestMs).toBeLessThan(LONGEST_MS);
    expect(await stage.left()).toBe(0);
  });
});
