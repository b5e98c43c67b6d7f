import { type Command, InvalidArgumentError } from 'commander';

import type { ReportName } from '#contracts';

import { readDeadlineMs } from '../send/send.command.ts';
import { dayOf, monthOf, type Period } from './period.ts';
import type { ReportOptions } from './report-options.ts';

const MOST_PER_PAGE = 1_000;

const END = `
A day is its midnight, at the start of it: --to 2026-11-01 is the end of October. The file appears under its name
only when it is whole. If the reading is interrupted, the same command with --resume goes on where it ended. Amounts are
integers in minor units, digit for digit; in CSV decimals stand beside them, if the worker knows how many the currency
has; in Parquet a column says how many.

Settings: AMQP_URL, AMQP_PREFIX, AMQP_TLS_CA, AMQP_TLS_CERT, AMQP_TLS_KEY.`;

/** The whole reports of the platform, as files. */
export function addReport(program: Command): void {
  const group = program
    .command('report')
    .description('fetches a whole report into a file')
    .helpCommand(false);
  addOne(group, 'ad-hoc', 'the figures of all players').addHelpText(
    'after',
    `
Examples:
  $ poker-bridge report ad-hoc --month 2026-10 --out october.csv
  $ poker-bridge report ad-hoc --from 2026-03-01 --to 2026-03-02 --currency EUR --out day.ndjson
${END}`,
  );
  addOne(group, 'rake', 'the rake of all players')
    .option('--time-zone <ZONE>', 'whose hours are meant: a name, or an offset such as +03:00')
    .option('--sort <FIELD>', 'the order of the records, as the platform knows it')
    .addHelpText(
      'after',
      `
Examples:
  $ poker-bridge report rake --month 2026-10 --out october.csv
  $ poker-bridge report rake --day 2026-10-05 --time-zone Europe/Berlin --out day.parquet
  $ poker-bridge report rake --from '2026-03-01 12:00:00' --to 2026-03-02 --time-zone +03:00 --out half.json
${END}`,
    );
}

function addOne(group: Command, name: ReportName, what: string): Command {
  return group
    .command(name)
    .summary(`fetches ${what} over a period`)
    .description(`Fetches ${what} over a period, or those of one, over the bus into a file.`)
    .requiredOption('--out <FILE>', 'ends in .csv, .ndjson, .json or .parquet')
    .option('--month <YYYY-MM>', 'from the first midnight of a month to that of the next', readMonth)
    .option('--day <YYYY-MM-DD>', 'from the midnight of a day to the next', readDay)
    .option('--from <TIME>', 'the beginning: YYYY-MM-DD, or YYYY-MM-DD HH:MM:SS')
    .option('--to <TIME>', 'the end, after it')
    .option('--resume', 'goes on after what an interrupted run has left, if it has')
    .option('--force', 'replaces a file that exists, and what an interrupted run has left')
    .option('--user-id <ID>', 'one player, or @FILE')
    .option('--currency <CODE>', 'one currency')
    .option('--per-page <N>', 'records of one page (default: that of the worker)', readPerPage)
    .option('--operator <NAME>', 'whose credentials the worker uses (default: its own default)')
    .option('--deadline-ms <MS>', 'how long all of it may take (default: 600000)', readDeadlineMs)
    .option(
      '--json',
      'one object at the end: {file, report, pages, records, totalCount, changedWhileReading}',
    )
    .action(async (options: ReportOptions) => {
      const { report } = await import('./report.ts');
      process.exitCode = await report(name, options);
    });
}

function readMonth(text: string): Period {
  const month = monthOf(text);
  if (month) return month;
  throw new InvalidArgumentError('It must be a month, such as 2026-10.');
}

function readDay(text: string): Period {
  const day = dayOf(text);
  if (day) return day;
  throw new InvalidArgumentError('It must be a day, such as 2026-10-05.');
}

function readPerPage(text: string): number {
  const number = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= MOST_PER_PAGE) return number;
  throw new InvalidArgumentError(`It must be an integer from 1 to ${MOST_PER_PAGE}.`);
}
