import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { startPlatform } from '../../bench/platform/start-platform.ts';
import { scalesOn } from '../../bench/scale/scales.ts';
import { type Size, Trial } from '../../bench/scale/trial.ts';
import { createWorkplace } from '../../bench/stage/workplace.ts';
import { testBrokerUrl } from '../../support/broker.ts';

const COMMANDS = 300;
/** The largest size of each kind, except if it would only take longer. */
const SIZES = [
  ['commands in flight', '100'],
  ['operators', '100'],
  ['KiB of launch options', '8'],
  ['workers on one queue', '2'],
] as const;

describe('what npm run bench -- --scale measures', () => {
  const parts = new AsyncDisposableStack();
  let sizeOf: (title: string, label: string) => Size;
  let start: (size: Size) => Promise<Trial>;

  beforeAll(async () => {
    const workplace = parts.use(await createWorkplace());
    const { variables, process } = parts.use(await startPlatform(workplace, 5, 'all-operations'));
    const stage = {
      workplace,
      amqpUrl: testBrokerUrl(),
      platform: variables,
      prefetch: 20,
      pids: { broker: 0, platform: process.pid },
      brokerVersion: '',
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
    sizeOf = (title, label) => {
      const scale = scalesOn(stage).find((each) => each.title === title);
      const size = scale?.sizes.find((each) => each.label === label);
      if (!size) throw new Error(`there is no ${title} of ${label}`);
      return { ...size, commands: COMMANDS };
    };
    start = (size) => Trial.start(stage, size);
  });
  afterAll(() => parts.disposeAsync());

  it.each(SIZES)('%s, %s: each command gets exactly one right answer', async (title, label) => {
    const size = sizeOf(title, label);
    await using trial = await start(size);
    const { cpuMsPerCommand, commandsPerSecond, shares } = await trial.measure();
    await trial.finish();
    expect(cpuMsPerCommand).toBeGreaterThan(0);
    expect(commandsPerSecond).toBeGreaterThan(0);
    expect(shares).toHaveLength(size.workers ?? 1);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 1);
    for (const share of shares) expect(share).toBeGreaterThan(0);
  });
});
