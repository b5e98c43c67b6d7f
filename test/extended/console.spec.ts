import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import axe from 'axe-core';
import type { Page } from 'playwright-core';

import { freePorts } from '../../scripts/network.ts';
import { type SandboxedService, startSandboxedService } from '../e2e/commands/sandboxed-service.ts';
import { Browser, lookOf } from '../support/browser.ts';
import { EventStream } from '../support/event-stream.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until, WAIT_TIMEOUT_MS } from '../support/until.ts';

jest.setTimeout(240_000);

const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
/** Longer than any other connection to health lasts. */
const LONG_MS = 12_000;
const MAX_VIEWERS = 8;
const OPERATORS = { acme: { clientId: 'sandbox', secretKey: 'sandbox-secret-key' } };
const DAY = { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00', perPage: 10 };

let browser: Browser;
let sandboxed: SandboxedService;
let url: string;
const folder = temporaryFolder();

beforeAll(async () => {
  browser = await Browser.start(DESKTOP);
  const [port = 0] = await freePorts(1);
  sandboxed = await startSandboxedService({
    sandbox: { SANDBOX_REPORT_RECORDS: '3' },
    worker: {
      HTTP_PORT: String(port),
      OPERATORS_FILE: folder.write('operators.json', JSON.stringify(OPERATORS)),
      CIRCUIT_MINIMUM_CALLS: '5',
    },
  });
  url = `${await sandboxed.worker.url()}/console`;
});
afterAll(async () => {
  await sandboxed?.[Symbol.asyncDispose]();
  await browser?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});
beforeEach(() => sandboxed.platform.clearFaults());

/** Waits until the page says so. */
async function says(page: Page, text: string | RegExp, where = 'main'): Promise<void> {
  await page.locator(where).getByText(text).first().waitFor({ timeout: WAIT_TIMEOUT_MS });
}

/** Sends commands of each type, one after the other. */
async function work(rounds: number, options: object = {}): Promise<void> {
  const { caller } = sandboxed;
  for (let n = 0; n < rounds; n += 1) {
    await Promise.all([
      caller.send('session.create', { userId: `player-${n}` }, options),
      caller.send('game.open', { player: { id: `player-${n}` } }, options),
    ]);
  }
  await caller.send('report.ad-hoc.fetch', DAY, options);
}

/** What the rules of accessibility (WCAG 2.2 AA, and best practice) find wrong. */
async function faultsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as any).axe.run());
  return violations.flatMap(({ id, nodes }: any) => nodes.map(({ html }: any) => `${id}: ${html}`));
}

/** How many colours each plot has drawn: three of its grid and axes, and those of its lines. */
function coloursOf(page: Page): Promise<readonly number[]> {
  return page.evaluate(() => {
    const canvases = [...(globalThis as any).document.querySelectorAll('canvas')];
    return canvases.map((canvas: any) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const colours = new Set<number>();
      for (let at = 0; at < data.length; at += 4) {
        if (data[at + 3] > 96)
          colours.add(((data[at] >> 5) << 6) | ((data[at + 1] >> 5) << 3) | (data[at + 2] >> 5));
      }
      return colours.size;
    });
  });
}

describe('the console, in a browser', () => {
  it('says at one look that all is well, shows what happens, and loads nothing from elsewhere', async () => {
    const { page, complaints, requested } = await browser.visit(url);
    await says(page, 'All is well');
    await work(5);
    await work(1, { headers: { operator: 'acme' } });
    const row = page.getByRole('row', { name: 'game.open' });
    await row.getByText('/s').filter({ hasNotText: /^0\/s/ }).waitFor();
    expect(await page.title()).toMatch(/^✓ All is well – /);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toMatch(/^Worker \S+$/);
    expect(await page.locator('h2').allTextContents()).toEqual([
      '✓All is well',
      'Lanes and connections',
      'Commands',
      'Operators',
      'Failures',
      'Dead letters',
      'Parked replies',
    ]);
    for (const lane of ['interactive', 'reports']) await says(page, `Lane ${lane}`);
    expect(await page.getByRole('row', { name: 'acme' }).textContent()).toMatch(/closed.*closed.*closed/);
    await until('each of the four has a line', async () => (await coloursOf(page)).every((n) => n > 3));

    await sleep(LONG_MS);
    expect(requested.filter((address) => address.endsWith('/events'))).toHaveLength(1);
    expect(requested.filter((address) => new URL(address).origin !== new URL(url).origin)).toEqual([]);
    expect(await page.locator('button, input, select, form, style, [style]:not(.plot *)').count()).toBe(0);
    // Chromium's, about the colours that were looked at above.
    const ofThePage = complaints.filter((text) => !text.startsWith('Canvas2D: Multiple readback'));
    expect(ofThePage).toEqual([]);
    await page.close();
  });

  it('says why it needs a look while the platform fails, since when, and who acts', async () => {
    const { page } = await browser.visit(url);
    await sandboxed.platform.fault({ kind: 'status', status: 503, operation: 'session' });
    await work(20);
    await says(page, 'Needs a look', '#verdict');
    await says(page, /the circuit is open for session\.create of default/, '#verdict');
    await says(page, /commands failed by no fault of their callers: .*CIRCUIT_OPEN/, '#verdict');
    expect(await page.title()).toMatch(/^! Needs a look – /);
    const operator = page.getByRole('row', { name: 'default' });
    expect(await operator.textContent()).toMatch(/(open|half-open)since \d\d:\d\d:\d\d/);
    const failure = page.getByRole('listitem').filter({ hasText: 'CIRCUIT_OPEN' }).last();
    expect(await failure.textContent()).toMatch(
      /unavailable.*× last at.*The platform has been failing.*session\.create.*operator default.*who acts: the caller, later/,
    );
    await page.close();
  });

  it('counts what it moved to the dead letters, by reason', async () => {
    const { page } = await browser.visit(url);
    await sandboxed.caller.send('game.open', { player: { id: 'ada' }, 'canary-member': 1 });
    await says(page, 'VALIDATION_FAILED', '#dead-letters');
    expect(await page.getByRole('main').textContent()).not.toContain('canary');
    await page.close();
  });

  it('says that commands are not served while the broker is away', async () => {
    const { page } = await browser.visit(url);
    const { proxy } = sandboxed.service;
    proxy.refuse();
    proxy.cut();
    await says(page, 'Commands are not served', '#verdict');
    await says(page, /No connection to the broker \(.+\)\. Commands wait/, '#verdict');
    await proxy.open();
    await says(page, /All is well|Needs a look/, '#verdict');
    await page.close();
  });

  it('says that it hears nothing of a worker that is stuck, and goes on when it is not', async () => {
    const { page } = await browser.visit(url);
    await says(page, /^live, /, 'header');
    sandboxed.worker.kill('SIGSTOP');
    await says(page, 'No connection to the worker', '#verdict');
    await says(page, 'Nothing arrives from the worker.', '#verdict');
    await says(page, /^Everything below is from \d\d:\d\d:\d\d/, '#verdict');
    await says(page, 'not live', 'header');
    sandboxed.worker.kill('SIGCONT');
    await says(page, /All is well|Needs a look/, '#verdict');
    await page.close();
  });

  it('is one of eight; a ninth is told so, and comes in when one leaves', async () => {
    const others: EventStream[] = [];
    for (let n = 0; n < MAX_VIEWERS; n += 1) others.push(await EventStream.open(`${url}/events`));
    const { page } = await browser.visit(url);
    await says(page, /^Eight others look at this worker already/, '#verdict');
    others[0]?.close();
    await says(page, /All is well|Needs a look/, '#verdict');
    for (const other of others) other.close();
    await page.close();
  });

  it.each([
    ['a desktop', 'light', DESKTOP],
    ['a desktop', 'dark', DESKTOP],
    ['a phone', 'light', PHONE],
    ['a phone', 'dark', PHONE],
  ] as const)('can be read by everybody on %s that is %s', async (_, colorScheme, size) => {
    const { page } = await browser.visit(url);
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    await says(page, /All is well|Needs a look/, '#verdict');
    await says(page, 'VALIDATION_FAILED', '#failures');
    expect(await faultsOf(page)).toEqual([]);
    await page.close();
  });

  it('fits a narrow window, and is dark if that is preferred, the plots too', async () => {
    const { page } = await browser.visit(url);
    await says(page, /All is well|Needs a look/, '#verdict');
    const light = await lookOf(page);
    const drawn = () => page.locator('.plot').first().screenshot();
    const before = await drawn();
    await page.emulateMedia({ colorScheme: 'dark' });
    const after = await drawn();
    await page.setViewportSize({ width: 320, height: 700 });
    const dark = await lookOf(page);
    expect([light.overflow, dark.overflow]).toEqual([0, 0]);
    expect(dark.paper).not.toBe(light.paper);
    expect(after.equals(before)).toBe(false);
    await page.close();
  });

  it('would run no script even if it contained one', async () => {
    const { page, complaints } = await browser.visit(url);
    await page.evaluate(() => {
      const { document } = globalThis as unknown as { document: any };
      const script = document.createElement('script');
      script.textContent = 'document.documentElement.lang = "xx"';
      document.body.append(script);
      document.body.insertAdjacentHTML('beforeend', '<b style="color: red" onclick="alert(1)">x</b>');
    });
    await sleep(500);
    expect(await page.evaluate(() => (globalThis as any).document.documentElement.lang)).toBe('en');
    expect(complaints.join('\n')).toMatch(/Content Security Policy/);
    await page.close();
  });

  it('says that the worker stops, then that it is gone, and shows the next one at its address', async () => {
    const { page } = await browser.visit(url);
    await says(page, /All is well|Needs a look/, '#verdict');
    await sandboxed.platform.fault({ kind: 'latency', fixedMs: 5_000, operation: 'open-game' });
    const held = sandboxed.caller.send('game.open', { player: { id: 'ada' } });
    await says(page, /[1-9]\d* in flight/, '#operators');
    sandboxed.worker.kill('SIGTERM');
    await says(page, /^The worker is stopping/, '#verdict');
    await held;
    await sandboxed.worker.ended();
    await says(page, /^The worker does not answer/, '#verdict');
    await sandboxed.service.worker();
    await says(page, 'All is well', '#verdict');
    await says(page, 'No command has failed.');
    await page.close();
  });
});
