import type { ChildProcess } from 'node:child_process';
import { rm, stat, truncate } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';
import { sandboxedForAll } from '../commands/sandboxed-service.ts';
import { ReportFolder } from './report-folder.ts';
import { type CliRun, outcomeOf, startCli } from './run-cli.ts';

const RECORDS = 300;
const PER_PAGE = 4;
const PAGES = RECORDS / PER_PAGE;
const DAY = `ad-hoc --from 2026-03-01 --to 2026-03-01 --per-page ${PER_PAGE}`;
/** Makes a report take some seconds, although pages are fetched ahead. */
const SLOW = { kind: 'latency', fixedMs: 300, spreadMs: 0 };
const FILE = 'month.csv';

describe('poker-bridge report --resume', () => {
  const sandboxed = sandboxedForAll({
    sandbox: { SANDBOX_REPORT_RECORDS: String(RECORDS) },
    worker: { CURRENCY_PRECISIONS: 'EUR=2,USD=4', PLATFORM_MAX_ATTEMPTS: '1' },
  });
  let folder: ReportFolder;
  let whole: string;
  beforeAll(async () => {
    using once = new ReportFolder(sandboxed);
    await once.fetch(DAY, FILE);
    whole = await once.content(FILE);
  });
  beforeEach(async () => {
    folder = new ReportFolder(sandboxed);
    await sandboxed.platform.fault(SLOW);
  });
  afterEach(async () => {
    await sandboxed.platform.clearFaults();
    folder[Symbol.dispose]();
  });

  const fetch = (...more: string[]): Promise<CliRun> => folder.fetch(DAY, FILE, ...more);
  const pagesKept = async (): Promise<number> => {
    const lines = (await folder.content(`${FILE}.part`).catch(() => '')).split('\n');
    return lines.filter((line) => line.includes('"records":[') && line.endsWith('}')).length;
  };
  const pagesAsked = (): Promise<number> => sandboxed.platform.received('ad-hoc-report');
  /** Waits until the worker has stopped reading: it notices a canceled report at its next page. */
  async function pagesAskedAtRest(): Promise<number> {
    let asked = -1;
    await until('no page is asked for', async () => {
      const before = asked;
      asked = await pagesAsked();
      if (asked !== before) await sleep(5 * SLOW.fixedMs);
      return asked === before;
    });
    return asked;
  }

  /** Starts a report, and interrupts it once some pages are kept. */
  async function interrupted(
    interrupt: (child: ChildProcess) => unknown,
    { variables = folder.variables, more = [] as string[], least = 30 } = {},
  ): Promise<CliRun> {
    const child = startCli([...folder.argsOf(DAY, FILE), ...more], { variables });
    const ended = outcomeOf(child);
    await until('some pages are kept', async () => (await pagesKept()) > least);
    await interrupt(child);
    return ended;
  }

  /** Resumes the report, and compares it with an uninterrupted one. */
  async function expectWhole(kept: number): Promise<void> {
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThan(PAGES);
    const before = await pagesAskedAtRest();
    expect(await fetch('--resume')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${RECORDS} records of ${PAGES} pages in ${folder.pathOf(FILE)}\n`),
      stderr: expect.not.stringContaining('changed'),
    });
    const asked = (await pagesAsked()) - before;
    expect(asked).toBeGreaterThanOrEqual(PAGES - kept);
    expect(asked).toBeLessThan(PAGES);
    expect(await folder.content(FILE)).toBe(whole);
    expect(await folder.files()).toEqual([FILE, `${FILE}.summary.json`]);
  }

  it('continues after Ctrl-C, without repeating or losing a record', async () => {
    const { code, stdout, stderr } = await interrupted((child) => child.kill('SIGINT'));
    const kept = await pagesKept();
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(
      `${kept * PER_PAGE} records of ${kept} pages are kept in ${folder.pathOf(FILE)}.part; the same command with --resume`,
    );
    expect(await folder.files()).toEqual([`${FILE}.part`]);
    const canceled = () => sandboxed.worker.metric('poker_reports_canceled_total');
    await until('the report is canceled', async () => (await canceled()) === 1);
    expect(await sandboxed.service.depth('replies.undelivered')).toBe(0);
    await expectWhole(kept);
  });

  it('continues after kill -9, even in the middle of a page', async () => {
    const { code } = await interrupted((child) => child.kill('SIGKILL'));
    expect(code).toBeNull();
    const kept = await pagesKept();
    const path = folder.pathOf(`${FILE}.part`);
    await truncate(path, (await stat(path)).size - 5);
    expect(await pagesKept()).toBe(kept - 1);
    // The head of the next process follows the truncated page, and a third process reads it.
    const next = await interrupted(
      async (child) => {
        const { code: third, stderr } = await fetch('--resume');
        expect([third, stderr]).toEqual([2, expect.stringContaining(`process ${child.pid} is reading`)]);
        child.kill('SIGKILL');
      },
      { more: ['--resume'], least: kept },
    );
    expect(next.code).toBeNull();
    await expectWhole(await pagesKept());
  });

  it('continues by itself after a lost connection', async () => {
    await using proxy = await TcpProxy.start(sandboxed.service.url);
    const variables = { ...folder.variables, AMQP_URL: proxy.through(sandboxed.service.url) };
    const { code, stdout } = await interrupted(() => proxy.cut(), { variables });
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${RECORDS} records of ${PAGES} pages in `)]);
    expect(await folder.content(FILE)).toBe(whole);
  });

  it('does not replace a file that appears during the report', async () => {
    const { code, stderr } = await interrupted(() => folder.write(FILE, 'old'));
    expect([code, stderr]).toEqual([2, expect.stringContaining('exists; --force replaces it')]);
    expect(await folder.content(FILE)).toBe('old');
  });

  it('continues after its deadline, as often as necessary', async () => {
    const codes: (number | null)[] = [];
    let kept = 0;
    for (let last: number | null = 1; last !== 0; codes.push(last)) {
      ({ code: last } = await fetch('--deadline-ms', '2000', '--resume'));
      const before = kept;
      kept = await pagesKept();
      if (last !== 0) expect([last === 1 || last === 3, kept > before]).toEqual([true, true]);
    }
    expect(codes.length).toBeGreaterThan(2);
    expect(await folder.content(FILE)).toBe(whole);
  });

  it('gives up a report with an ever-growing number of pages', async () => {
    await interrupted((child) => child.kill('SIGINT'));
    await sandboxed.platform.clearFaults();
    await sandboxed.platform.fault({ kind: 'endless-report' });
    const { code, stderr } = await fetch('--resume');
    expect([code, stderr]).toEqual([1, expect.stringContaining('the report has no end')]);
  });

  it('refuses to mix or lose figures, and starts again with --force', async () => {
    await interrupted(async (child) => {
      // The report must not end before the other processes have checked it.
      await sandboxed.platform.clearFaults();
      await sandboxed.platform.fault({ ...SLOW, fixedMs: 3_000 });
      for (const more of [[], ['--resume'], ['--force']]) {
        const { code, stderr } = await fetch(...more);
        const message = `process ${child.pid} is reading a report into the same file`;
        expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
      }
      child.kill('SIGKILL');
    });
    await sandboxed.platform.clearFaults();
    const kept = await pagesKept();
    const refused = async (expected: RegExp, ...more: string[]): Promise<void> => {
      expect(await fetch(...more)).toMatchObject({ code: 2, stderr: expect.stringMatching(expected) });
      expect(await pagesKept()).toBe(kept);
    };
    await refused(/csv\.part contains \d+ records of \d+ pages .*--resume continues .*--force starts again/);
    await refused(/was started with another currency: --resume needs/, '--resume', '--currency', 'EUR');
    folder.write(FILE, 'old');
    await refused(/month\.csv exists; --force replaces it/, '--resume');
    expect((await fetch('--resume', '--force')).code).toBe(0);
    expect(await folder.content(FILE)).toBe(whole);
    await rm(folder.pathOf(FILE));
    folder.write(`${FILE}.part`, '{"version":');
    const { code, stderr } = await fetch('--force');
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('was not written by this version; remove it'),
    ]);
  });

  it.each([
    ['a page without records', '{"version":3,"identity":{}}\n{"records":5}'],
    ['a page without counts', '{"version":3,"identity":{}}\n{"records":[],"precisions":{}}'],
    [
      'records that are no objects',
      '{"records":[null],"precisions":{},"page":1,"pageCount":2,"perPage":1,"totalCount":2}',
    ],
  ])('rejects %s in the pages of an earlier run, without a stack', async (_, content) => {
    folder.write(`${FILE}.part`, content);
    for (const more of [[], ['--resume']]) {
      const { code, stderr } = await fetch(...more);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/has an invalid page.*\n$/)]);
    }
  });
});
