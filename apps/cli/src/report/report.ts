import { createReadStream, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { type Command, InvalidArgumentError, Option } from 'commander';

import { CallerError } from '#caller';
import type { ReportName } from '#contracts';
import { precisions, readSomeSettings } from '#settings';
import { exactJson } from '#signing';

import { commandFaults } from '../command-faults.ts';
import { EXIT, interruptibly, usageError } from '../exit.ts';
import { type Options, readCount, readDeadline, readValue } from '../input.ts';
import { describeReply, jsonLine } from '../output.ts';
import { type BusSettings, readBus } from '../servers.ts';
import { type DiffOptions, printDiff } from './diff.ts';
import { ReportFacts } from './facts.ts';
import { type Format, FORMATS } from './formats.ts';
import { type PeriodOptions, periodOf } from './period.ts';
import { MOST_PER_PAGE, readPages, type ReportRequest } from './read-pages.ts';
import { readReportFile } from './report-file.ts';
import { describeSummary, summaryOf } from './summary.ts';
import { UnfinishedReport } from './unfinished-report.ts';

interface Decimals {
  readonly decimals?: ReadonlyMap<string, number>;
}

type ReportOptions = PeriodOptions &
  Decimals &
  Options<
    'format' | 'userId' | 'currency' | 'convertToPreferredCurrency' | 'sort' | 'operator',
    'force' | 'resume' | 'json' | 'decimalComma' | 'minorUnits',
    'perPage'
  > & {
    readonly out: string;
    readonly deadlineMs: number;
  };

const STANDARD_OUTPUT = '-';
const DEADLINE_MS = 600_000;
const LISTED_RECORDS = 20;

const HELP = `
Examples:
  $ poker-bridge report ad-hoc --month 2026-10 --out october.csv
  $ poker-bridge report ad-hoc --from 2026-10-01 --to 2026-10-31 --currency EUR --out october.ndjson
  $ poker-bridge report rake --month last --out october.csv --decimals mBTC=5
  $ poker-bridge report rake --day yesterday --out - | head
  $ poker-bridge report diff october.csv october-again.csv
  $ poker-bridge report rake --day 2026-10-05 --time-zone Europe/Berlin --out day.parquet
  $ poker-bridge report rake --from '2026-03-01 12:00:00' --to '2026-03-02 00:00:00' --out half.json

--to 2026-10-31 includes that day. The file appears under its name only when it is whole; if the reading is
interrupted, the same command with --resume continues. FILE.summary.json says what was read, when, and the totals.`;

export function define(group: Command): void {
  group.addHelpText('afterAll', HELP);
  addReport(group, 'ad-hoc', 'the figures of all players');
  addReport(group, 'rake', 'the rake of all players')
    .option('--time-zone <ZONE>', 'the time zone of the period: a name, or an offset such as +03:00')
    .option('--convert-to-preferred-currency <VALUE>', "converts rake into each player's preferred currency")
    .option('--sort <FIELD>', 'the order of the records, as the platform knows it');
  group
    .command('diff')
    .description('compares two files of a report: which records and totals changed, and by how much')
    .argument('<BEFORE>', 'a .csv, .ndjson, .json or .parquet file of report')
    .argument('<AFTER>', 'a later one')
    .addOption(decimalsOption())
    .option('--limit <N>', 'lists at most so many records', readCount(0, 1_000_000), LISTED_RECORDS)
    .option('--json', 'prints one object with all of them')
    .action(diff);
}

function decimalsOption(): Option {
  const description = 'decimals of currencies for which none are known, such as EUR=2,mBTC=5';
  return new Option('--decimals <CURRENCY=N>', `${description} (default: CURRENCY_PRECISIONS)`).argParser(
    readDecimals,
  );
}

async function diff(
  before: string,
  after: string,
  options: Omit<DiffOptions, 'decimals'> & Decimals,
): Promise<void> {
  const decimals = decimalsOf(options);
  printDiff(await readReportFile(before), await readReportFile(after), { ...options, decimals });
}

/** The decimals given by option or environment variable. @throws SettingsError */
function decimalsOf({ decimals = new Map() }: Decimals): ReadonlyMap<string, number> {
  const { CURRENCY_PRECISIONS = new Map() } = readSomeSettings(['CURRENCY_PRECISIONS'], process.env);
  return new Map([...CURRENCY_PRECISIONS, ...decimals]);
}

function addReport(group: Command, name: ReportName, what: string): Command {
  return group
    .command(name)
    .description(`fetches ${what} over a period, or of one player, into a file`)
    .requiredOption('--out <FILE>', 'ends in .csv, .ndjson, .json or .parquet; - is the standard output')
    .addOption(new Option('--format <FORMAT>', 'default: by the name, or csv').choices(Object.keys(FORMATS)))
    .option('--month <YYYY-MM>', 'a month, from midnight to midnight; or last')
    .option('--day <YYYY-MM-DD>', 'a day, from midnight to midnight; or yesterday')
    .option('--from <TIME>', 'the beginning: YYYY-MM-DD, or YYYY-MM-DD HH:MM:SS')
    .option('--to <TIME>', 'the end: the last day YYYY-MM-DD, which is included, or YYYY-MM-DD HH:MM:SS')
    .option('--resume', 'continues after what an interrupted run has left, if anything')
    .option('--force', 'replaces a file that exists, and what an interrupted run has left')
    .option('--user-id <ID>', 'only this player; @FILE reads the id from a file')
    .option('--currency <CODE>', 'only this currency')
    .addOption(decimalsOption())
    .option('--decimal-comma', 'writes CSV for spreadsheets with a decimal comma: cells end at semicolons')
    .option('--minor-units', 'prints totals in minor units')
    .option('--per-page <N>', "records on a page (default: the worker's)", readCount(1, MOST_PER_PAGE))
    .option('--operator <NAME>', 'the operator whose credentials the worker uses (default: default)')
    .option('--deadline-ms <MS>', 'how long the whole report may take', readDeadline, DEADLINE_MS)
    .option('--json', 'prints one object at the end')
    .action((options: ReportOptions) => report(name, options));
}

/** Reads `EUR=2,mBTC=5` as CURRENCY_PRECISIONS is read; further options add to it. */
function readDecimals(text: string, before: ReadonlyMap<string, number> = new Map()) {
  try {
    return new Map([...before, ...precisions(text)]);
  } catch (error) {
    throw new InvalidArgumentError(`It must be ${(error as Error).message.replace(/^must (be )?/, '')}.`);
  }
}

/**
 * @throws ExitError if the options or the file are invalid, or on an interruption; otherwise as `readPages`
 * does
 */
async function report(name: ReportName, options: ReportOptions): Promise<void> {
  const { operator, deadlineMs, force: mayReplace = false, resume: resumes = false, json } = options;
  const isPrinted = options.out === STANDARD_OUTPUT;
  if (isPrinted && resumes) throw usageError('--resume needs a file: --out is the standard output');
  const format = formatOf(options);
  const { decimalComma, minorUnits } = options;
  if (decimalComma && format !== 'csv') throw usageError('--decimal-comma is for .csv');
  const data = await dataOf(name, options);
  const decimals = decimalsOf(options);
  const bus = readBus();
  const identity = { report: name, ...data, operator, bus: addressOf(bus) };
  const noFacts = () => new ReportFacts(name, decimals);
  const out = isPrinted ? join(temporaryFolder(), `report.${format}`) : options.out;
  // The stream for the summary, or the failure.
  const to = isPrinted ? process.stderr : process.stdout;
  await interruptibly(async (signal) => {
    const unfinished = await UnfinishedReport.open({ out, identity, noFacts, resumes, mayReplace });
    const sentAtMs = Date.now();
    try {
      const request = { type: `report.${name}.fetch`, data, operator, deadlineMs } as const;
      await readPages(bus, request, unfinished, signal);
      const { facts } = unfinished;
      const summary = summaryOf(options.out, facts, request, minorUnits);
      const content = FORMATS[format](unfinished.records(), facts, {
        decimalComma,
        summary: exactJson(summary),
      });
      await unfinished.finish(content, `${exactJson(summary, 2)}\n`);
      to.write(`${json ? jsonLine(summary) : describeSummary(summary)}\n`);
      for (const warning of summary.warnings) process.stderr.write(`warning: ${warning}\n`);
      if (facts.faults > 0) process.exitCode = EXIT.failed;
    } catch (error) {
      const left = await unfinished.leave();
      if (!isPrinted) process.stderr.write(left);
      if (!(error instanceof CallerError) || !error.answer) throw error;
      const [type, body] = ['command.failed', jsonLine(error.answer)];
      const line = `{"type":"${type}","body":${body}}\n`;
      to.write(json ? line : describeReply(type, body, Date.now() - sentAtMs));
      process.exitCode = EXIT.failed;
    }
  });
  if (isPrinted && existsSync(out)) await pipeline(createReadStream(out), process.stdout, { end: false });
}

/** Creates a folder that is removed when the process exits, even if standard output is closed early. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'poker-bridge-report-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function formatOf({ out, format }: ReportOptions): Format {
  const name = format ?? (out === STANDARD_OUTPUT ? 'csv' : extname(out).toLowerCase().slice(1));
  if (Object.hasOwn(FORMATS, name)) return name as Format;
  const endings = Object.keys(FORMATS).map((ending) => `.${ending}`);
  throw usageError(`--out ends in ${endings.join(', ')}, or is - for the standard output; ${out} does not`);
}

/** Returns the data of the command. @throws ExitError if it is invalid, or a file cannot be read */
async function dataOf(name: ReportName, options: ReportOptions): Promise<ReportRequest['data']> {
  const { currency, timeZone, convertToPreferredCurrency, sort, perPage } = options;
  const userId = options.userId && (await readValue(options.userId));
  const given = Object.entries({ userId, currency, timeZone, convertToPreferredCurrency, sort, perPage });
  const others = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  const data = { ...periodOf(options, Date.now()), ...others };
  const faults = commandFaults(`report.${name}.fetch`, data);
  if (faults.length > 0) throw usageError(faults.map((fault) => fault.replace(/^\//, '')).join('; '));
  return data;
}

/** Describes a bus without users, passwords and ports: `host[, host] /vhost prefix`. */
function addressOf({ urls, prefix }: BusSettings): string {
  const nodes = urls.map((url) => new URL(url));
  const hosts = [...new Set(nodes.map(({ hostname }) => hostname))].toSorted();
  return `${hosts.join(', ')} ${nodes[0]?.pathname || '/'} ${prefix}`;
}
