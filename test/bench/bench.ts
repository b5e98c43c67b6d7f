import { startBroker } from '../../scripts/broker/start-broker.ts';
import { CONTESTANTS } from './contestants/contestants.ts';
import { LoadDriver } from './driver/load-driver.ts';
import { processUsage } from './measure/process-usage.ts';
import { startPlatform } from './platform/start-platform.ts';
import { createWorkplace } from './processes/workplace.ts';

export async function bench(only: readonly string[], rounds: number, commands: number): Promise<void> {
  using workplace = await createWorkplace();
  await using broker = await startBroker();
  await using platform = await startPlatform(workplace, 20);
  const surroundings = { workplace, amqpUrl: broker.url, platform: platform.variables, prefetch: 100 };
  const chosen = CONTESTANTS.filter(({ name }) => only.length === 0 || only.some((o) => name.startsWith(o)));
  for (let round = 0; round < rounds; round += 1) {
    for (let i = 0; i < chosen.length; i += 1) {
      const contestant = chosen[(i + round) % chosen.length]!;
      await using worker = await contestant.start(surroundings);
      await using driver = await LoadDriver.open({ url: broker.url, dialect: worker.dialect });
      await driver.closedLoop({ inFlight: 200, commands: 3000 });
      const before = processUsage(worker.process.pid);
      const load = await driver.closedLoop({ inFlight: 200, commands });
      const after = processUsage(worker.process.pid);
      const tally = await driver.settle();
      console.log(
        round + 1,
        contestant.name.padEnd(16),
        ((after.cpuMs - before.cpuMs) / load.commands).toFixed(3),
        'ms/command',
        ((load.commands / load.elapsedMs) * 1000).toFixed(0),
        '/s',
        after.peakMemoryMib.toFixed(0),
        'MiB',
        JSON.stringify(tally),
      );
    }
  }
}
