import type { ChildProcess } from 'node:child_process';
import { rm, truncate } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';
import { type SandboxedService, startSandboxedService } from '../commands/sandboxed-service.ts';
import { ReportFolder } from './report-folder.ts';
import { type CliRun, outcomeOf, startCli } from './run-cli.ts';

const RECORDS = 300;
const PER_PAGE = 4;
const PAGES = RECORDS / PER_PAGE;
const DAY = `ad-hoc --from 2026-03-01 --to 2026-03-02 --per-page ${PER_PAGE}`;
/** So that a report takes some seconds. */
const SLOW = { kind: 'latency', fixedMs: 60, spreadMs: 0 };

describe('poker-bridge report --resume', () => {
  let sandboxed: SandboxedService;
  let folder: ReportFolder;
  beforeAll(async () => {
    sandboxed = await startSandboxedService({
      sandbox: { SANDBOX_REPORT_RECORDS: String(RECORDS) },
      worker: { CURRENCY_PRECISIONS: 'EUR=2,USD=4', PLATFORM_MAX_ATTEMPTS: '1' },
    });
  });
  afterAll(async () => sandboxed?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    folder = await ReportFolder.create(sandboxed);
    await sandboxed.platform.fault(SLOW);
  });
  afterEach(async () => {
    await sandboxed.platform.clearFaults();
    await folder[Symbol.asyncDispose]();
  });

  const fetch = (file: string, ...more: string[]): Promise<CliRun> => folder.fetch(DAY, file, ...more);
  const pagesKept = async (file: string): Promise<number> => {
    const state = await folder.content(`${file}.part.json`).catch(() => '{}');
    return (JSON.parse(state) as { reading?: { pages: number } }).reading?.pages ?? 0;
  };
  const pagesAsked = (): Promise<number> => sandboxed.platform.received('ad-hoc-report');
  /** A worker notices at its next page that nobody waits for a report any more. */
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

  /** Begins a report, and ends it once some pages are kept. */
  async function interrupted(
    file: string,
    interrupt: (child: ChildProcess) => unknown,
    variables = folder.variables,
  ): Promise<CliRun> {
    const child = startCli(folder.argsOf(DAY, file), { variables });
    const ended = outcomeOf(child);
    await until('some pages are kept', async () => (await pagesKept(file)) > 0);
    await interrupt(child);
    return ended;
  }

  /** Goes on with it, and compares it with one that was read in one go. */
  async function expectWhole(file: string): Promise<void> {
    const kept = await pagesKept(file);
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThan(PAGES);
    const before = await pagesAskedAtRest();
    const { code, stdout, stderr } = await fetch(file, '--resume');
    expect([code, stdout, stderr]).toEqual([
      0,
      expect.stringContaining(`${RECORDS} records of ${PAGES} pages in ${folder.pathOf(file)}\n`),
      expect.not.stringContaining('changed'),
    ]);
    const asked = (await pagesAsked()) - before;
    expect(asked).toBeGreaterThanOrEqual(PAGES - kept);
    // The report of the run before waits for its queue, which is gone, and asks for its next page a few times more.
    expect(asked).toBeLessThan(PAGES - kept + kept);
    await expectAsInOneGo(file);
    expect(await folder.files()).toEqual([file, `whole-${file}`]);
  }

  async function expectAsInOneGo(file: string): Promise<void> {
    await sandboxed.platform.clearFaults();
    expect((await fetch(`whole-${file}`)).code).toBe(0);
    expect(await folder.content(file)).toBe(await folder.content(`whole-${file}`));
  }

  it.each(['month.csv', 'month.ndjson'])(
    'continues after Ctrl-C, without repeating or losing a record: %s',
    async (file) => {
      const { code, stdout, stderr } = await interrupted(file, async (child) => {
        // No page since the last checkpoint is lost.
        await sleep(8 * SLOW.fixedMs);
        child.kill('SIGINT');
      });
      const kept = await pagesKept(file);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain(
        `${kept * PER_PAGE} records of ${kept} pages are kept in ${folder.pathOf(file)}.part; the same command with --resume`,
      );
      expect(await folder.files()).toEqual([`${file}.part`, `${file}.part.json`]);
      await expectWhole(file);
    },
  );

  it('continues after kill -9', async () => {
    const { code } = await interrupted('month.csv', (child) => child.kill('SIGKILL'));
    expect(code).toBeNull();
    await expectWhole('month.csv');
  });

  it('reads on by itself if the connection is lost meanwhile', async () => {
    await using proxy = await TcpProxy.start(sandboxed.service.url);
    const over = { ...folder.variables, AMQP_URL: proxy.through(sandboxed.service.url) };
    const { code, stdout } = await interrupted('month.csv', () => proxy.cut(), over);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${RECORDS} records of ${PAGES} pages in `)]);
    await expectAsInOneGo('month.csv');
  });

  it('continues after its deadline, as often as it takes', async () => {
    const codes: (number | null)[] = [];
    let kept = 0;
    for (let last: number | null = 1; last !== 0; codes.push(last)) {
      ({ code: last } = await fetch('month.csv', '--deadline-ms', '2000', '--resume'));
      const before = kept;
      kept = await pagesKept('month.csv');
      if (last !== 0) expect([last === 1 || last === 3, kept > before]).toEqual([true, true]);
    }
    expect(codes.length).toBeGreaterThan(2);
    await expectAsInOneGo('month.csv');
  });

  it('notices records that came before, though the total is the same', async () => {
    await interrupted('month.csv', (child) => child.kill('SIGINT'));
    await pagesAskedAtRest();
    await sandboxed.platform.clearFaults();
    await sandboxed.platform.fault({ kind: 'repeated-page', count: 4 });
    const { code, stderr } = await fetch('month.csv', '--resume');
    expect([code, stderr]).toEqual([0, expect.stringMatching(/records came twice/)]);
  });

  it('refuses what would mix or lose figures, and begins again with --force', async () => {
    await interrupted('month.csv', (child) => child.kill('SIGKILL'));
    await sandboxed.platform.clearFaults();
    const kept = await pagesKept('month.csv');
    const refused = async (expected: RegExp, ...more: string[]): Promise<void> => {
      const { code, stderr } = await fetch('month.csv', ...more);
      expect([code, stderr]).toEqual([2, expect.stringMatching(expected)]);
      expect(await pagesKept('month.csv')).toBe(kept);
    };
    await refused(
      /month\.csv\.part holds \d+ records of \d+ pages .*--resume continues .*--force begins again/,
    );
    await refused(
      /was begun with another currency: --resume needs the same/,
      '--resume',
      '--currency',
      'EUR',
    );
    await folder.write('month.csv', 'old');
    await refused(/month\.csv exists; --force replaces it/, '--resume');
    expect(await folder.content('month.csv')).toBe('old');
    expect((await fetch('month.csv', '--resume', '--force')).code).toBe(0);
    const whole = await folder.content('month.csv');
    expect((await fetch('month.csv', '--force')).code).toBe(0);
    expect(await folder.content('month.csv')).toBe(whole);
    expect(await folder.files()).toEqual(['month.csv']);
  });

  it('refuses to write beside another process, and a state that it cannot read', async () => {
    const { code } = await interrupted('month.csv', async (child) => {
      for (const more of [[], ['--resume'], ['--force']]) {
        const second = await fetch('month.csv', ...more);
        expect([second.code, second.stderr]).toEqual([
          2,
          expect.stringContaining(`process ${child.pid} reads this report into the same file`),
        ]);
      }
      child.kill('SIGINT');
    });
    expect(code).toBe(1);
    await folder.write('month.csv.part.json', '{"version":');
    const { code: unread, stderr } = await fetch('month.csv', '--resume');
    expect([unread, stderr]).toEqual([2, expect.stringContaining('remove it')]);
  });

  it('begins again if there is nothing to continue', async () => {
    await sandboxed.platform.clearFaults();
    expect((await fetch('month.csv', '--resume')).code).toBe(0);
    const whole = await folder.content('month.csv');
    await rm(folder.pathOf('month.csv'));
    await sandboxed.platform.fault(SLOW);
    await interrupted('month.csv', (child) => child.kill('SIGKILL'));
    await truncate(folder.pathOf('month.csv.part'), 1);
    await sandboxed.platform.clearFaults();
    expect((await fetch('month.csv', '--resume', '--force')).code).toBe(0);
    expect(await folder.content('month.csv')).toBe(whole);
  });
});
