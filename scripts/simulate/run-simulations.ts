import { writeFileSync } from 'node:fs';
import { extname } from 'node:path';

import { figure } from './report/figure.ts';
import { type NamedSimulation, summaryLines } from './report/lines.ts';
import { page } from './report/page.ts';
import { helpLines } from './scenario/options.ts';
import { readScenarios } from './scenario/read-scenarios.ts';
import { simulate } from './simulate.ts';

/**
 * Plays the scenarios of a command line, prints their summary and writes their plots.
 *
 * @throws Error whose message says what an option takes
 */
export async function runSimulations(args: readonly string[], print: (line: string) => void): Promise<void> {
  if (args.includes('--help')) {
    print(helpLines().join('\n'));
    return;
  }
  const { scenarios, out, json } = readScenarios(args);
  const simulations: NamedSimulation[] = [];
  // One after the other: each has the process' clock for itself.
  for (const { name, scenario } of scenarios)
    simulations.push({ name, simulation: await simulate(scenario) });
  const summary = summaryLines(simulations);
  print(summary.join('\n'));
  const svg = figure(simulations);
  const commandLine = ['npm run simulate --', ...args].join(' ');
  writeFileSync(out, extname(out) === '.html' ? page(svg, summary, commandLine) : svg);
  print(`Plots: ${out}`);
  if (json === undefined) return;
  const samples = simulations.map(({ name, simulation }) => ({ name, samples: simulation.samples }));
  writeFileSync(json, JSON.stringify(samples));
}
