import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { styleText } from 'node:util';

import { runStep, type StepResult } from '../check/run-step.ts';
import { CHECK_STEPS } from '../check/steps.ts';
import { root } from '../root.ts';

mkdirSync(join(root, '.run'), { recursive: true });
const waiting = [...CHECK_STEPS];
const results: StepResult[] = [];
await Promise.all(Array.from({ length: Math.min(availableParallelism(), waiting.length) }, runWaiting));

const failed = results.filter(({ isRight }) => !isRight);
for (const { name, output } of failed) console.log(`\n${styleText('bold', name)}\n${output}`);
console.log(`\n${results.length - failed.length} of ${results.length} checks hold`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function runWaiting(): Promise<void> {
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
    const result = await runStep(step);
    results.push(result);
    const mark = result.isRight ? styleText('green', '✓') : styleText('red', '✗');
    console.log(`${mark} ${result.name.padEnd(12)} ${(result.durationMs / 1_000).toFixed(1)} s`);
  }
}
