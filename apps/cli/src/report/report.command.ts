import { type Command, InvalidArgumentError, Option } from 'commander';

import type { ReportName } from '#contracts';

import { each, readCount, readDeadline } from '../options.ts';
import { FORMATS } from './formats.ts';
import { MOST_PER_PAGE } from './read-pages.ts';
import { report, type ReportOptions } from './report.ts';

const MOST_DECIMALS = 18;
const DEADLINE_MS = 600_000;

const END = `
A day is its midnight: --to 2026-11-01 is the end of October. The file appears under its name only when it is whole; if the
reading is interrupted, the same command with --resume continues. Amounts are integers in minor units, digit for digit.`;

export function define(group: Command): void {
  addOne(group, 'ad-hoc', 'the figures of all players').addHelpText(
    'after',
    `
Examples:
  $ poker-bridge report ad-hoc --month 2026-10 --out october.csv
  $ poker-bridge report ad-hoc --from 2026-03-01 --to 2026-03-02 --currency EUR --out day.ndjson
  $ poker-bridge report ad-hoc --month 2026-10 --out again.csv --compare october.csv
${END}`,
  );
  addOne(group, 'rake', 'the rake of all players')
    .option('--time-zone <ZONE>', 'the time zone of the period: a name, or an offset such as +03:00')
    .option('--convert-to-preferred-currency <VALUE>', "converts rake into each player's preferred currency")
    .option('--sort <FIELD>', 'the order of the records, as the platform knows it')
    .addHelpText(
      'after',
      `
Examples:
  $ poker-bridge report rake --month last --out october.csv --decimals mBTC=5
  $ poker-bridge report rake --day yesterday --out - | head
  $ poker-bridge report rake --day 2026-10-05 --time-zone Europe/Berlin --out day.parquet
  $ poker-bridge report rake --from '2026-03-01 12:00:00' --to 2026-03-02 --time-zone +03:00 --out half.json
${END}`,
    );
}

function addOne(group: Command, name: ReportName, what: string): Command {
  return group
    .command(name)
    .description(`fetches ${what} over a period, or of one player, into a file`)
    .requiredOption('--out <FILE>', 'ends in .csv, .ndjson, .json or .parquet; - is the standard output')
    .addOption(new Option('--format <FORMAT>', 'default: by the name, or csv').choices(Object.keys(FORMATS)))
    .option('--month <YYYY-MM>', 'a month, from midnight to midnight; or last')
    .option('--day <YYYY-MM-DD>', 'a day, from midnight to midnight; or yesterday')
    .option('--from <TIME>', 'the beginning: YYYY-MM-DD, or YYYY-MM-DD HH:MM:SS')
    .option('--to <TIME>', 'the end, later than --from')
    .option('--resume', 'continues after what an interrupted run has left, if anything')
    .option('--force', 'replaces a file that exists, and what an interrupted run has left')
    .option('--user-id <ID>', 'only this player; @FILE reads the id from a file')
    .option('--currency <CODE>', 'only this currency')
    .option(
      '--decimals <CURRENCY=N>',
      'for a currency whose decimals the worker does not know; may be repeated',
      each(readDecimals),
    )
    .option('--compare <FILE>', 'says what changed since an earlier .csv, .ndjson or .json file')
    .option('--per-page <N>', "records on a page (default: the worker's)", readCount(1, MOST_PER_PAGE))
    .option('--operator <NAME>', 'the operator whose credentials the worker uses (default: default)')
    .option('--deadline-ms <MS>', 'how long the whole report may take', readDeadline, DEADLINE_MS)
    .option('--json', 'prints one object at the end')
    .action((options: ReportOptions) => report(name, options));
}

function readDecimals(text: string): readonly [string, number] {
  const [, currency = '', count = ''] = /^([^=]+)=(\d{1,2})$/.exec(text) ?? [];
  if (currency !== '' && Number(count) <= MOST_DECIMALS) return [currency, Number(count)];
  throw new InvalidArgumentError(`It must be a currency and a number up to ${MOST_DECIMALS}, such as EUR=2.`);
}
