import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';

import { Program } from '../../../scripts/processes/program.ts';
import type { Broker } from '../../../scripts/broker/start-broker.ts';
import { ClusteredService } from '../../e2e/cluster/clustered-service.ts';
import type { Load } from '../../e2e/cluster/load.ts';
import { type Answered, describeSilences, longestSilenceMs } from './silences.ts';

/** How often a node is killed (`npm run test:recovery -- --rounds 50`); each of them once by default. */
const ROUNDS = Number(process.env['RECOVERY_ROUNDS'] ?? 3);
const NODES = 3;
/** How long a lane is watched after a failure. */
const WATCHED_MS = 8_000;
const KILLED = 'a node is killed';
const RESTARTED = 'a node is restarted';
const LANES = ['interactive', 'reports'];

/** Minutes a round on a busy machine, seconds on an idle one. */
jest.setTimeout(ROUNDS * 300_000);

/** Each node killed in turn, and after each turn all three restarted one after the other, while both lanes work. */
describe('the lanes of a worker on a cluster of three nodes', () => {
  let service: ClusteredService;
  const busy = new AsyncDisposableStack();
  let load: Load;
  const silences: { what: string; lane: string; ms: number }[] = [];

  beforeAll(async () => {
    service = await ClusteredService.start();
    for (let processor = 0; processor < availableParallelism(); processor += 1)
      busy.use(new Program(process.execPath, ['-e', 'for (;;);']));
    load = service.load('recovering');
    await load.goOn(100);
  });
  afterAll(async () => {
    await busy.disposeAsync();
    await service?.[Symbol.asyncDispose]();
  });

  /** Does something to a node, and notes how long each lane was silent. */
  async function watch(what: string, node: Broker, act: () => Promise<void>): Promise<void> {
    const fromMs = Date.now();
    await act();
    await load.goOn(40);
    await sleep(Math.max(0, fromMs + WATCHED_MS - Date.now()));
    const answers = service.answersSince(fromMs - WATCHED_MS);
    const figures = LANES.map((lane) => {
      const ms = longestSilenceMs(
        answers.filter((answered: Answered) => answered.lane === lane),
        fromMs,
        Date.now(),
      );
      silences.push({ what, lane, ms });
      return `${lane} ${(ms / 1_000).toFixed(1)} s`;
    });
    process.stdout.write(`${what}: ${node.name}; silent: ${figures.join(', ')}; sent so far ${load.sent}\n`);
    await node.restart();
    await service.view.isWhole();
  }

  it('answer again soon, and every command in the end', () =>
    service.run(async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const node = service.cluster.nodes[round % NODES] as Broker;
        await watch(KILLED, node, () => node.kill());
        if (round % NODES < NODES - 1) continue;
        for (const each of service.cluster.nodes) await watch(RESTARTED, each, () => each.shutDown());
      }
      await busy.disposeAsync();
      await service.expectAnswered(load);
      process.stdout.write(`\n${describeSilences(silences)}\n${load.sent} commands, each answered\n`);
      // What is measured is printed; on a busy machine the bound of the documentation is no assertion.
      expect(silences).toHaveLength(LANES.length * (ROUNDS + NODES * Math.floor(ROUNDS / NODES)));
    }));
});
