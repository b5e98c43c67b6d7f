import { startBroker } from '../../scripts/broker/start-broker.ts';
import { build } from '../../scripts/build/build.ts';
import { readOptions, readPositive, runTask } from '../../scripts/run-task.ts';
import { chooseRows } from '../choose-rows.ts';
import { ROWS } from '../overload/rows.ts';

/** Offers built workers more commands than their platform can answer, and shows the results. */
await runTask(async () => {
  const { rows, times, workers, plot, ...options } = readOptions({
    rows: String,
    times: String,
    workers: '1',
    seconds: Number,
    'deadline-ms': 15_000,
    seed: 1,
    plot: String,
  });
  const numbers = (name: string, text: string) => text.split(',').map((each) => readPositive(name, each));
  const chosen = {
    ...options,
    rows: chooseRows('rows', ROWS, rows),
    times: times === undefined ? undefined : numbers('times', times),
    workers: numbers('workers', workers),
    deadlineMs: options['deadline-ms'],
  };
  await build();
  // Imported here because it uses the built code.
  const { overload } = await import('../overload/overload.ts');
  await using broker = await startBroker();
  return await overload(broker, chosen, plot);
});
