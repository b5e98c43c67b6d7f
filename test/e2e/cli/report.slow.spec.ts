import { once } from 'node:events';

import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { exactJson } from '#signing';

import { sandboxedForAll } from '../commands/sandboxed-service.ts';
import { until } from '../../support/until.ts';
import { ReportFolder } from './report-folder.ts';
import { outcomeOf, runCli, startCli } from './run-cli.ts';

const DAY = '--from 2026-03-01 --to 2026-03-01';
const TITLES = 'id,userId,currency,value,valueDecimal';

describe('poker-bridge report', () => {
  const delays = { PLATFORM_MAX_ATTEMPTS: '1', REPORTS_RETRY_DELAYS_MS: '600000' };
  const sandboxed = sandboxedForAll({ worker: { CURRENCY_PRECISIONS: 'EUR=2,USD=4', ...delays } });
  let folder: ReportFolder;
  beforeEach(() => void (folder = new ReportFolder(sandboxed)));
  afterEach(async () => {
    await sandboxed.platform.clearFaults();
    folder[Symbol.dispose]();
  });

  it('writes one record a line, digit for digit, over several pages', async () => {
    await sandboxed.platform.fault({ kind: 'huge-amounts' });
    const { code, stdout, stderr } = await folder.fetch(`ad-hoc ${DAY} --per-page 10`, 'day.ndjson');
    const lines = (await folder.content('day.ndjson')).trimEnd().split('\n');
    const pages = Math.ceil(lines.length / 10);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${lines.length} records of ${pages} pages in .*/day.ndjson\n`));
    expect(stdout).toMatch(/^total +EUR +(EUR +)*GBP/m);
    expect(stdout).toMatch(/^money type +1 /m);
    expect(stdout).toMatch(/^unit +minor units/m);
    expect(stdout).toMatch(/^win +-?\d+\.\d\d /m);
    expect(stdout).toMatch(/2026-03-02 00:00:00 \(the day 2026-03-01\)\nzone +the platform's own/);
    expect(stderr).toMatch(/^warning: the decimals of \w+ are unknown.*--decimals \w+=2/m);
    const data = JSON.stringify({ dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00' });
    const send = ['send', 'report.ad-hoc.fetch', '--data', data, '--json'];
    const sent = await runCli(send, { variables: folder.variables });
    expect(lines).toEqual([...sent.stdout.matchAll(/\{"id":"[^}]*\}/g)].map(([record]) => record));
    expect(lines.join()).toMatch(/"rake":\d{17}/);
    expect(await folder.files()).toEqual(['day.ndjson', 'day.ndjson.summary.json']);
  });

  it('writes CSV with a decimal after each amount, and JSON', async () => {
    const table = await folder.fetch(`rake ${DAY} --json`, 'rake.csv');
    expect([table.code, (await folder.fetch(`rake ${DAY}`, 'rake.json')).code]).toEqual([0, 0]);
    const all = JSON.parse(await folder.content('rake.json')) as Record<string, string | number>[];
    const euros = all.filter(({ currency }) => currency === 'EUR').map(({ value }) => Number(value));
    const sum = (euros.reduce((one, other) => one + other, 0) / 100).toFixed(2);
    const total = { currency: 'EUR', unit: 'decimal', amounts: { value: sum } };
    const none = { changedWhileReading: false, repeated: 0, changed: 0, missing: 0, faults: 0 };
    const file = folder.pathOf('rake.csv');
    const period = { from: '2026-03-01 00:00:00', to: '2026-03-02 00:00:00', timeZone: null };
    expect(table.lines).toMatchObject([
      { file, report: 'rake', period, records: all.length, ...none, totals: expect.arrayContaining([total]) },
    ]);
    expect(JSON.parse(await folder.content('rake.csv.summary.json'))).toEqual(table.lines[0]);
    const places: Record<string, number> = { EUR: 2, USD: 4 };
    const expected = all.map(({ id, userId, currency, value }) => {
      const decimals = places[String(currency)];
      const decimal = decimals === undefined ? '' : (Number(value) / 10 ** decimals).toFixed(decimals);
      return [id, userId, currency, value, decimal].join(',');
    });
    const rows = (await folder.content('rake.csv')).trimEnd().split('\r\n');
    expect(rows).toEqual([TITLES, ...expected]);
    expect(rows.some((row) => row.endsWith(','))).toBe(true);
  });

  it('writes Parquet with integers, dates, decimals, and the summary as metadata', async () => {
    const run = await folder.fetch(`ad-hoc ${DAY} --json`, 'day.parquet');
    expect(run.code).toBe(0);
    expect((await folder.fetch(`ad-hoc ${DAY}`, 'day.ndjson')).code).toBe(0);
    const file = await asyncBufferFromFile(folder.pathOf('day.parquet'));
    const { schema, key_value_metadata: metadata } = await parquetMetadataAsync(file);
    const columns = new Map(schema.map((column) => [column.name, column]));
    expect(columns.get('date')).toMatchObject({ type: 'INT32', converted_type: 'DATE' });
    expect(columns.get('win')).toMatchObject({ type: 'INT64' });
    expect(columns.get('winDecimal')).toMatchObject({ converted_type: 'DECIMAL', precision: 38, scale: 4 });
    expect(metadata?.map(({ key, value }) => [key, JSON.parse(value ?? '') as unknown])).toEqual([
      ['poker-bridge.report', run.lines[0]],
    ]);
    const rows = await parquetReadObjects({ file });
    const records = (await folder.content('day.ndjson')).trimEnd().split('\n');
    const plain = ({ decimals: _decimals, date, ...row }: Record<string, unknown>): string => {
      const { id, userId, ...others } = row;
      const amounts = Object.entries(others).filter(([name]) => !name.endsWith('Decimal'));
      return exactJson({
        id,
        userId,
        date: (date as Date).toISOString().slice(0, 10),
        ...Object.fromEntries(amounts),
      });
    };
    expect(rows.map(plain)).toEqual(records);
    const files = ['day.parquet', 'day.ndjson'].map((name) => folder.pathOf(name));
    const diff = await runCli(['report', 'diff', ...files, '--json']);
    expect(diff).toMatchObject({ code: 0, lines: [{ after: { records: records.length }, totals: [] }] });
    const decimals = new Map(rows.map((row) => [row['currency'], row['decimals']]));
    expect(decimals).toEqual(
      new Map<unknown, unknown>([
        ['EUR', 2],
        ['USD', 4],
        ['GBP', null],
      ]),
    );
    // The reader rounds decimals to doubles.
    for (const { win, winDecimal, decimals: count } of rows) {
      if (count === null) expect(winDecimal).toBeNull();
      else expect(winDecimal).toBeCloseTo(Number(win) / 10 ** Number(count), 6);
    }
    await sandboxed.platform.fault({ kind: 'huge-amounts' });
    const huge = await folder.fetch(`ad-hoc ${DAY}`, 'huge.parquet');
    expect([huge.code, huge.stderr]).toEqual([
      1,
      expect.stringContaining('needs more than 64 bits: use .csv'),
    ]);
    expect(await folder.files()).toEqual([
      'day.ndjson',
      'day.ndjson.summary.json',
      'day.parquet',
      'day.parquet.summary.json',
    ]);
  });

  it('writes yesterday to standard output, with given decimals for unknown currencies', async () => {
    const variables = { CURRENCY_PRECISIONS: 'EUR=0,GBP=8' };
    const { code, stdout, stderr } = await runCli(folder.argsOf('rake --day yesterday', '-'), {
      variables: { ...folder.variables, ...variables },
    });
    const [titles, ...rows] = stdout.trimEnd().split('\r\n');
    expect([code, titles]).toEqual([0, TITLES]);
    const pounds = rows.filter((row) => row.includes(',GBP,'));
    expect(pounds.length).toBeGreaterThan(0);
    for (const row of pounds) expect(row).toMatch(/,\d+\.\d{8}$/);
    expect(stderr).toContain('the decimals given for EUR differ from those of the worker');
    expect(stderr).toContain(`${rows.length} records of`);
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const { body } = await sandboxed.platform.lastRequest();
    expect(new URLSearchParams(body).get('dateFrom')).toBe(`${yesterday} 00:00:00`);
  });

  it('keeps no pages of a failed report for standard output', async () => {
    await sandboxed.platform.fault({ kind: 'endless-report' });
    const { code, stderr } = await folder.fetch(`rake ${DAY} --per-page 10`, '-');
    expect([code, stderr]).toEqual([1, expect.stringContaining('PLATFORM_PROTOCOL_ERROR')]);
    expect(stderr).not.toContain('--resume');
  });

  it('leaves no file behind if standard output is closed early', async () => {
    const variables = { ...folder.variables, TMPDIR: folder.pathOf('') };
    const child = startCli(folder.argsOf(`rake ${DAY}`, '-'), { variables });
    child.stdout.destroy();
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await folder.files()).toEqual([]);
  });

  it('has the same columns for an empty report', async () => {
    expect((await folder.fetch(`rake ${DAY}`, 'none.csv', '--user-id', 'nobody')).code).toBe(0);
    expect(await folder.content('none.csv')).toBe(`${TITLES}\r\n`);
  });

  it('requests a month from midnight to midnight, with all other options', async () => {
    folder.write('player', 'player-00000002\n');
    const { code } = await folder.fetch(
      `rake --month 2026-02 --time-zone +03:00 --currency EUR --convert-to-preferred-currency 1 --user-id @${folder.pathOf('player')}`,
      'month.ndjson',
    );
    expect(code).toBe(0);
    const { url, body } = await sandboxed.platform.lastRequest();
    expect(url).toMatch(/timeZone=%2B03%3A00.*convertToPreferredCurrency=1/);
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      userId: 'player-00000002',
      dateFrom: '2026-02-01 00:00:00',
      dateTo: '2026-03-01 00:00:00',
      currency: 'EUR',
    });
  });

  it('prints a failure, exits with 1, and leaves no file', async () => {
    await sandboxed.platform.fault({ kind: 'status', status: 403 });
    const { code, stdout } = await folder.fetch(`rake ${DAY}`, 'rake.csv');
    expect([code, stdout]).toEqual([1, expect.stringContaining('FORBIDDEN (misconfigured)')]);
    expect(await folder.files()).toEqual([]);
  });

  it('exits with 3 without a worker, and with 1 on an interruption, and leaves no file', async () => {
    const args = folder.argsOf(`rake ${DAY}`, 'rake.csv');
    const nobody = { ...folder.variables, AMQP_PREFIX: 'nobody' };
    expect((await runCli(args, { variables: nobody })).code).toBe(3);
    expect(await folder.files()).toEqual([]);

    await sandboxed.platform.fault({ kind: 'latency', fixedMs: 10_000, spreadMs: 0 });
    const child = startCli(args, { variables: folder.variables });
    const ended = outcomeOf(child);
    await until('it has begun', async () => (await folder.files()).length > 0);
    child.kill('SIGINT');
    expect((await ended).code).toBe(1);
    expect(await folder.files()).toEqual([]);
  });
});
