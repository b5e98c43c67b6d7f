import type { Release } from '../../scripts/broker/installation.ts';
import { messageOf } from '../../scripts/message-of.ts';
import { describeMachine } from '../bench/measure.ts';
import { isSound, type PlayOptions, playRow, type RowResult } from './play-row.ts';
import { chaosTable, resultLine } from './report.ts';
import type { Row } from './rows/row.ts';

export interface ChaosOptions extends Pick<PlayOptions, 'commands' | 'perSecond' | 'seed'> {
  readonly rows: readonly Row[];
  /** The release of RabbitMQ, and its exact version. */
  readonly release: { readonly name: Release; readonly version: string };
}

/**
 * Plays rows on one release of RabbitMQ, and prints a table for docs/reliability.md.
 *
 * @returns true if every row was sound
 */
export async function chaos({ rows, release, ...load }: ChaosOptions): Promise<boolean> {
  const results: RowResult[] = [];
  let skipped = 0;
  for (const row of rows) {
    console.log(`RabbitMQ ${release.version}: ${row.title}`);
    if (row.wishes?.isDivisible && process.platform !== 'linux') {
      console.log(
        `  ${row.name} skipped: only Linux has the loopback addresses that it needs (127.1.0.0/16)`,
      );
      skipped += 1;
      continue;
    }
    const result = await playRow(row, load).catch(messageOf);
    if (typeof result === 'string') {
      // The other rows are still worth playing.
      console.log(`  could not be played: ${result}`);
      continue;
    }
    results.push(result);
    console.log(`  ${resultLine(result)}`);
    for (const story of result.stories) console.log(`    ${story}`);
  }
  const { name, version } = release;
  const { commands, perSecond, seed } = load;
  const again = `--release ${name} --commands ${commands} --rate ${perSecond} --seed ${seed}`;
  const made =
    `${new Date().toISOString().slice(0, 10)}, ${describeMachine(version).description}; ` +
    `${perSecond} commands a second, at least ${commands} a row; \`npm run chaos -- ${again}\`.`;
  console.log(`\n${made}\n\n${chaosTable(results)}`);
  return results.length + skipped === rows.length && results.every(isSound);
}
