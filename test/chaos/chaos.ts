import type { Release } from '../../scripts/broker/releases.ts';
import { messageOf } from '../../scripts/message-of.ts';
import { createWorkplace } from '../bench/stage.ts';
import { describeMachine } from '../bench/report.ts';
import { isSound, playRow, type RowResult } from './play-row.ts';
import { chaosTable, resultLine } from './report.ts';
import type { Row } from './rows/row.ts';
import { OURS, type System } from './stage/systems.ts';

export interface ChaosOptions {
  readonly rows: readonly Row[];
  readonly systems: readonly System[];
  /** Its broker, and its exact version. */
  readonly release: { readonly name: Release; readonly version: string };
  readonly commands: number;
  readonly perSecond: number;
  readonly seed: number;
}

/** If the output is no terminal, a line each quarter minute is enough. */
const QUIET_EVERY = 15;

/**
 * Plays rows on one release of RabbitMQ, and prints a table for each system, for docs/reliability.md.
 *
 * @returns whether every row of ours was sound
 */
export async function chaos({ rows, systems, release, ...load }: ChaosOptions): Promise<boolean> {
  await using workplace = await createWorkplace();
  const results: RowResult[] = [];
  let unplayed = 0;
  for (const system of systems) {
    for (const row of rows.filter(({ isOurs }) => system === OURS || !isOurs)) {
      const title = `RabbitMQ ${release.version}, ${system.label}: ${row.title}`;
      console.log(title);
      const options = { ...load, system, peer: workplace.peer, onProgress: progressOf() };
      const result = await playRow(row, options).catch((error: unknown) => messageOf(error));
      if (process.stdout.isTTY) process.stdout.write('\r\u001B[K');
      if (typeof result === 'string') {
        // The others still say something.
        unplayed += 1;
        console.log(`  could not be played: ${result}`);
        continue;
      }
      results.push(result);
      console.log(`  ${resultLine(result)}`);
      for (const story of result.stories) console.log(`    ${story}`);
    }
  }
  const again =
    `--release ${release.name} --commands ${load.commands} --rate ${load.perSecond} --seed ${load.seed}` +
    (systems.includes(OURS) ? '' : ` --systems ${systems.map(({ name }) => name).join()}`);
  const machine = describeMachine(release.version).description;
  const tables = systems.map((system) => {
    const own = results.filter((result) => result.system === system);
    return `${system.label} on RabbitMQ ${release.version}:\n\n${chaosTable(own)}`;
  });
  const made =
    `${new Date().toISOString().slice(0, 10)}, ${machine}; ${load.perSecond} commands a second, at least ` +
    `${load.commands} a row; \`npm run chaos -- ${again}\`.`;
  console.log(`\n${[made, ...tables].join('\n\n')}`);
  return unplayed === 0 && results.every((result) => result.system !== OURS || isSound(result));
}

/** A line that a terminal sees change; elsewhere, one now and then. */
function progressOf(): (line: string) => void {
  let lines = 0;
  return (line) => {
    lines += 1;
    if (process.stdout.isTTY) process.stdout.write(`\r\u001B[K  ${line}`.slice(0, process.stdout.columns));
    else if (lines % QUIET_EVERY === 0) console.log(`  ${line}`);
  };
}
