import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { type SandboxedService, startSandboxedService } from '../commands/sandboxed-service.ts';
import { until } from '../../support/until.ts';
import { type CliRun, runCli, startCli } from './run-cli.ts';

const DAY = '--from 2026-03-01 --to 2026-03-02';

describe('poker-bridge report', () => {
  let sandboxed: SandboxedService;
  let folder: string;
  let variables: Record<string, string>;
  beforeAll(async () => {
    sandboxed = await startSandboxedService({
      worker: {
        CURRENCY_PRECISIONS: 'EUR=2,USD=4',
        PLATFORM_MAX_ATTEMPTS: '1',
        REPORTS_RETRY_DELAYS_MS: '600000',
      },
    });
    variables = { AMQP_URL: sandboxed.service.url, AMQP_PREFIX: sandboxed.service.prefix };
  });
  afterAll(async () => sandboxed?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'poker-bridge-report-'));
  });
  afterEach(async () => {
    await sandboxed.platform.clearFaults();
    await rm(folder, { recursive: true });
  });

  const fetch = (line: string, file: string, ...more: string[]): Promise<CliRun> =>
    runCli(['report', ...line.split(' '), '--out', join(folder, file), ...more], { variables });
  const fetchTo = (out: string, line: string): Promise<CliRun> =>
    runCli(['report', ...line.split(' '), '--out', out], { variables });
  const content = (file: string): Promise<string> => readFile(join(folder, file), 'utf8');
  /** The records as `send` prints them. */
  const records = async (type: string): Promise<string[]> => {
    const data = JSON.stringify({ dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00' });
    const { stdout } = await runCli(['send', type, '--data', data, '--json'], { variables });
    return [...stdout.matchAll(/\{"id":"[^}]*\}/g)].map(([record]) => record);
  };

  it('writes one record a line, digit for digit, over several pages', async () => {
    await sandboxed.platform.fault({ kind: 'huge-amounts' });
    const { code, stdout, stderr } = await fetch(`ad-hoc ${DAY} --per-page 10`, 'day.ndjson');
    const lines = (await content('day.ndjson')).trimEnd().split('\n');
    const told = `${lines.length} records of ${Math.ceil(lines.length / 10)} pages in ${join(folder, 'day.ndjson')}`;
    expect([code, stdout.split('\n')[0]]).toEqual([0, told]);
    expect(stdout).toMatch(/^total EUR, money type \d: win -?\d+\.\d\d, /m);
    expect(stderr).toMatch(/^warning: no decimals are known of \w+.*--decimals \w+=2/m);
    expect(lines).toEqual(await records('report.ad-hoc.fetch'));
    expect(lines.join()).toMatch(/"rake":\d{17}/);
    expect(await readdir(folder)).toEqual(['day.ndjson']);
  });

  it('writes a table with decimals beside the amounts, and JSON', async () => {
    const table = await fetch(`rake ${DAY} --json`, 'rake.csv');
    const json = await fetch(`rake ${DAY}`, 'rake.json');
    expect([table.code, json.code]).toEqual([0, 0]);
    const all = JSON.parse(await content('rake.json')) as Record<string, string | number>[];
    const end = {
      file: join(folder, 'rake.csv'),
      report: 'rake',
      records: all.length,
      changedWhileReading: false,
    };
    expect(table.lines).toMatchObject([{ ...end, repeated: 0, missing: 0, faults: 0 }]);
    const sum = all.reduce(
      (total, { currency, value }) => total + (currency === 'EUR' ? Number(value) : 0),
      0,
    );
    expect((table.lines[0] as { totals: object[] }).totals).toContainEqual({ currency: 'EUR', value: sum });
    const [titles, ...rows] = (await content('rake.csv')).trimEnd().split('\r\n');
    expect(titles).toBe('id,userId,currency,value,valueDecimal');
    const decimals = new Map([
      ['EUR', 2],
      ['USD', 4],
    ]);
    const expected = all.map(({ id, userId, currency, value }) => {
      const places = decimals.get(String(currency));
      const decimal = places === undefined ? '' : (Number(value) / 10 ** places).toFixed(places);
      return [id, userId, currency, value, decimal].join(',');
    });
    expect(rows).toEqual(expected);
    expect(rows.some((row) => row.endsWith(','))).toBe(true);
  });

  it('writes Parquet with whole amounts and the decimals of their currencies', async () => {
    const { code } = await fetch(`ad-hoc ${DAY}`, 'day.parquet');
    const json = await fetch(`ad-hoc ${DAY}`, 'day.ndjson');
    expect([code, json.code]).toEqual([0, 0]);
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(join(folder, 'day.parquet')) });
    const lines = (await content('day.ndjson')).trimEnd().split('\n');
    const text = (row: object): string =>
      JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? `n${value}` : value))
        .replaceAll(/"n(-?\d+)"/g, '$1')
        .replace(/,"decimals":(null|\d)}$/, '}');
    expect(rows.map(text)).toEqual(lines);
    const decimals = new Map(rows.map((row) => [row['currency'], row['decimals']]));
    expect([decimals.get('EUR'), decimals.get('USD')]).toEqual([2, 4]);
    expect([...decimals.values()]).toContain(null);
    await sandboxed.platform.fault({ kind: 'huge-amounts' });
    const huge = await fetch(`ad-hoc ${DAY}`, 'huge.parquet');
    expect([huge.code, huge.stderr]).toEqual([
      1,
      expect.stringContaining('needs more than 64 bits: take .csv'),
    ]);
    expect((await readdir(folder)).toSorted()).toEqual(['day.ndjson', 'day.parquet']);
  });

  it('warns of a period that has not ended', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const { code, stderr } = await fetch(`rake --day ${today}`, 'today.csv');
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/the period has not ended: it goes on until .* fetch it again after/),
    ]);
    expect((await fetch(`rake ${DAY}`, 'past.csv')).stderr).not.toContain('period');
  });

  it('writes yesterday to the standard output, with decimals that the worker does not know', async () => {
    const { code, stdout, stderr } = await fetchTo('-', 'rake --day yesterday --decimals GBP=8');
    const [titles, ...rows] = stdout.trimEnd().split('\r\n');
    expect([code, titles]).toEqual([0, 'id,userId,currency,value,valueDecimal']);
    const pounds = rows.filter((row) => row.includes(',GBP,'));
    expect(pounds.length).toBeGreaterThan(0);
    for (const row of pounds) expect(row).toMatch(/,\d+\.\d{8}$/);
    expect(stderr).toContain(`${rows.length} records of`);
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const { body } = await sandboxed.platform.lastRequest();
    expect(new URLSearchParams(body).get('dateFrom')).toBe(`${yesterday} 00:00:00`);
  });

  it('has the same columns for an empty report', async () => {
    const nobody = await fetch(`rake ${DAY}`, 'none.csv', '--user-id', 'nobody');
    expect([nobody.code, await content('none.csv')]).toEqual([
      0,
      'id,userId,currency,value,valueDecimal\r\n',
    ]);
  });

  it('says what has changed since an earlier file', async () => {
    expect((await fetch(`rake ${DAY}`, 'before.csv')).code).toBe(0);
    const [titles, first, ...rest] = (await content('before.csv')).split('\r\n') as [string, string];
    await writeFile(
      join(folder, 'before.csv'),
      [titles, first.replace(/,\d+,/, ',1,'), ...rest.slice(1)].join('\r\n'),
    );
    const { code, stdout } = await fetch(`rake ${DAY}`, 'after.csv', '--compare', join(folder, 'before.csv'));
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^compared: 1 added, 0 removed, 1 changed$/m)]);
    expect(stdout).toMatch(new RegExp(`^ {2}${first.split(',')[0]} \\w+: value 1 → \\d+$`, 'm'));
  });

  it('asks for a month from midnight to midnight, with what else was given', async () => {
    const { code } = await fetch(
      'rake --month 2026-02 --time-zone +03:00 --currency EUR --convert-to-preferred-currency 1',
      'month.ndjson',
    );
    expect(code).toBe(0);
    const { url, body } = await sandboxed.platform.lastRequest();
    expect(url).toContain('timeZone=%2B03%3A00');
    expect(url).toContain('convertToPreferredCurrency=1');
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      dateFrom: '2026-02-01 00:00:00',
      dateTo: '2026-03-01 00:00:00',
      currency: 'EUR',
    });
  });

  it('reads a player from a file', async () => {
    await writeFile(join(folder, 'player'), 'player-00000002\n');
    const { code } = await fetch(`rake ${DAY}`, 'one.ndjson', '--user-id', `@${join(folder, 'player')}`);
    expect([code, await content('one.ndjson')]).toEqual([0, expect.stringContaining('player-00000002')]);
    expect((await sandboxed.platform.lastRequest()).body).toContain('userId=player-00000002');
    const missing = await fetch(`rake ${DAY}`, 'two.ndjson', '--user-id', '@/no/such');
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('cannot be read (ENOENT)')]);
  });

  it('prints a failure, ends with 1, and leaves no file', async () => {
    await sandboxed.platform.fault({ kind: 'status', status: 403 });
    const { code, stdout } = await fetch(`rake ${DAY}`, 'rake.csv');
    expect([code, stdout]).toEqual([1, expect.stringContaining('FORBIDDEN (misconfigured)')]);
    expect(await readdir(folder)).toEqual([]);
  });

  it('replaces a file only if it is told to', async () => {
    await writeFile(join(folder, 'old.json'), 'old');
    const refused = await fetch(`rake ${DAY}`, 'old.json');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/old\.json exists; --force/)]);
    expect(await content('old.json')).toBe('old');
    expect((await fetch(`rake ${DAY}`, 'old.json', '--force')).code).toBe(0);
    expect(await content('old.json')).toMatch(/^\[\n\{"id":/);
  });

  it.each([
    ['rake --from 2026-03-02 --to 2026-03-01', 'a.csv', /dateTo must be after dateFrom/],
    ['rake --from 2026-02-30 --to 2026-03-01', 'a.csv', /dateFrom must/],
    ['rake --from 2026-03-01', 'a.csv', /either --month, or --day, or --from and --to/],
    ['rake --month 2026-13', 'a.csv', /must be a month, such as 2026-10, or last/],
    ['rake --day 2026-02-30', 'a.csv', /must be a day, such as .*, or yesterday/],
    ['rake --day 2026-03-01 --month 2026-03', 'a.csv', /either --month, or --day/],
    ['rake --day 2026-03-01 --time-zone Berlin', 'a.csv', /--time-zone is a name such as/],
    [`rake ${DAY}`, 'a.xlsx', /--out ends in \.csv, \.ndjson, \.json, \.parquet, or is -/],
    [`rake ${DAY}`, 'no/such/folder.csv', /cannot be written \(ENOENT\)/],
  ])('refuses %s into %s before it asks', async (line, file, expected) => {
    const { code, stderr } = await fetch(line, file);
    expect([code, stderr]).toEqual([2, expect.stringMatching(expected)]);
  });

  it('ends with 3 if nobody can answer, and with 1 if it is interrupted, without a file', async () => {
    const nobody = { ...variables, AMQP_PREFIX: 'nobody' };
    const args = ['report', 'rake', ...DAY.split(' '), '--out', join(folder, 'rake.csv')];
    expect((await runCli(args, { variables: nobody })).code).toBe(3);
    expect(await readdir(folder)).toEqual([]);

    await sandboxed.platform.fault({ kind: 'latency', fixedMs: 10_000, spreadMs: 0 });
    const child = startCli(args, { variables });
    const ended = new Promise((resolve) => child.once('close', resolve));
    await until('it has begun', async () => (await readdir(folder)).length > 0);
    child.kill('SIGINT');
    expect(await ended).toBe(1);
    expect(await readdir(folder)).toEqual([]);
  });
});
