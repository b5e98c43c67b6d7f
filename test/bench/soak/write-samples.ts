import { writeFileSync } from 'node:fs';
import { extname } from 'node:path';

import type { SoakSample } from './soak-sample.ts';

/**
 * Writes the curve to a file: `.csv` one look a line, `.json` all of them, with three decimals.
 *
 * @throws {Error} for any other ending
 */
export function writeSamples(file: string, samples: readonly SoakSample[]): void {
  writeFileSync(file, textOf(extname(file), samples));
}

function textOf(ending: string, samples: readonly SoakSample[]): string {
  const rows = samples.map((sample) =>
    Object.fromEntries(
      Object.entries(sample).map(([name, value]) => [name, Math.round(value * 1_000) / 1_000]),
    ),
  );
  if (ending === '.json') return `${JSON.stringify(rows, null, 2)}\n`;
  if (ending !== '.csv') throw new Error('--out takes a file that ends in .csv or .json');
  const names = Object.keys(rows[0] ?? {});
  return [names.join(','), ...rows.map((row) => names.map((name) => row[name]).join(','))].join('\n') + '\n';
}
