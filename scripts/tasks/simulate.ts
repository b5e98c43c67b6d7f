import { build } from '../build/build.ts';
import { root } from '../root.ts';
import { runTask } from '../run-task.ts';

await runTask(async () => {
  await build(root);
  // Imports the built code, so not before it is built.
  const { runSimulations } = await import('../simulate/run-simulations.ts');
  await runSimulations(process.argv.slice(2), (line) => console.log(line));
  return 0;
});
