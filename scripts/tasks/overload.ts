import { chooseRows } from '../../lab/overload/rows.ts';
import { startBroker } from '../broker/start-broker.ts';
import { build } from '../build/build.ts';
import { readOptions, readPositive, runTask } from '../run-task.ts';

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
    rows: chooseRows(rows?.split(',')),
    times: times === undefined ? undefined : numbers('times', times),
    workers: numbers('workers', workers),
    deadlineMs: options['deadline-ms'],
  };
  await build();
  // Imported here because it uses the built code.
  const { overload } = await import('../../lab/overload/overload.ts');
  await using broker = await startBroker();
  return await overload(broker, chosen, plot);
});
