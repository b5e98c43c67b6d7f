import { build } from '../build/build.ts';
import { readOptions, runTask } from '../run-task.ts';

await runTask(async () => {
  const { keep = false } = readOptions({ keep: Boolean });
  await build();
  // Imported here because it uses the built code.
  const { demo } = await import('../demo.ts');
  return demo(keep);
});
