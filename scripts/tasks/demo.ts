import { build } from '../build/build.ts';
import { readOptions, runTask } from '../run-task.ts';

await runTask(async () => {
  const { keep = false } = readOptions({ keep: Boolean });
  await build();
  // Uses the built code, so not before it is built.
  const { demo } = await import('../demo.ts');
  return demo(keep);
});
