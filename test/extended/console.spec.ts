import { setTimeout as sleep } from 'node:timers/promises';

import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import axe from 'axe-core';
import type { Page } from 'playwright-core';

import { freePorts } from '../../scripts/network.ts';
import { sandboxedForAll } from '../e2e/commands/sandboxed-service.ts';
import { browserForAll } from '../support/browser.ts';
import { EventStream } from '../support/event-stream.ts';
import { folderForAll } from '../support/suite-service.ts';
import { WAIT_TIMEOUT_MS } from '../support/until.ts';

jest.setTimeout(240_000);

const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
/** Longer than any other connection to the health server lasts. */
const LONG_MS = 12_000;
const MAX_VIEWERS = 8;
const OPERATORS = { acme: { clientId: 'sandbox', secretKey: 'sandbox-secret-key' } };
const DAY = { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00', perPage: 10 };

const browser = browserForAll(DESKTOP);
const folder = folderForAll();
let url: string;
const sandboxed = sandboxedForAll(async () => {
  const [port = 0] = await freePorts(1);
  url = `http://127.0.0.1:${port}/console`;
  return {
    sandbox: { SANDBOX_REPORT_RECORDS: '3' },
    worker: {
      HTTP_PORT: String(port),
      OPERATORS_FILE: folder.write('operators.json', JSON.stringify(OPERATORS)),
      CIRCUIT_MINIMUM_CALLS: '5',
    },
  };
});
beforeEach(() => sandboxed.platform.clearFaults());

async function says(page: Page, text: string | RegExp, where = 'main'): Promise<void> {
  await page.locator(where).getByText(text).first().waitFor({ timeout: WAIT_TIMEOUT_MS });
}

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

/** Returns the violations of accessibility rules (WCAG 2.2 AA and best practices). */
async function faultsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as any).axe.run());
  return violations.flatMap(({ id, nodes }: any) => nodes.map(({ html }: any) => `${id}: ${html}`));
}

describe('the console, in a browser', () => {
  it('shows at a glance that all is well, displays activity, and loads nothing from other origins', async () => {
    const { page, complaints, requested } = await browser.visit(url);
    await says(page, 'All is well');
    await work(5);
    await work(1, { headers: { operator: 'acme' } });
    const plot = page.getByRole('figure').filter({ hasText: 'game.open' });
    await plot.getByText(/^[1-9][\d.]*\/(s|min), p95 \d+ ms, platform \d+ ms$/).waitFor();
    expect(await page.title()).toMatch(/^✓ All is well – /);
    const title = await page.getByRole('heading', { level: 1 }).textContent();
    expect(title).toBe(`poker-bridge ${sandboxed.service.prefix}`);
    const queue = page.getByRole('row', { name: sandboxed.service.name('interactive') });
    expect(await queue.textContent()).toMatch(/interactive0[12]$/);
    await page.locator('summary').filter({ hasText: 'This worker' }).press('Enter');
    expect(await page.getByRole('row', { name: 'acme' }).textContent()).toMatch(/closed.*closed.*closed/);
    const hour = page.getByRole('img', { name: /^game\.open in the last hour: \d+ commands, 0 failed$/ });
    expect(await hour.locator('rect').count()).toBeGreaterThan(0);
    await sleep(LONG_MS);
    expect(requested.filter((address) => address.endsWith('/events'))).toHaveLength(1);
    expect(requested.filter((address) => new URL(address).origin !== new URL(url).origin)).toEqual([]);
    expect(await page.locator('button, input, select, form, style, [style]').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('reports that RabbitMQ is unavailable, and the status after it has recovered', async () => {
    const { page } = await browser.visit(url);
    const { proxy } = sandboxed.service;
    proxy.refuse();
    proxy.cut();
    await says(page, 'No connection to RabbitMQ', '#verdict');
    await says(page, 'RabbitMQ does not answer.', '#queues');
    await proxy.open();
    await says(page, 'All is well', '#verdict');
  });

  it('reports that a stuck worker does not respond, and recovers with it', async () => {
    const { page } = await browser.visit(url);
    await says(page, /^live, /, 'header');
    sandboxed.worker.kill('SIGSTOP');
    await says(page, 'No connection to the worker', '#verdict');
    await says(page, 'Nothing arrives from the worker.', '#verdict');
    await says(page, /^Everything below is from \d\d:\d\d:\d\d/, '#verdict');
    await says(page, 'not live', 'header');
    sandboxed.worker.kill('SIGCONT');
    await says(page, 'All is well', '#verdict');
  });

  it('serves eight viewers, refuses a ninth, and admits it when one leaves', async () => {
    const others: EventStream[] = [];
    for (let n = 0; n < MAX_VIEWERS; n += 1) others.push(await EventStream.open(`${url}/events`));
    const { page } = await browser.visit(url);
    await says(page, /^Eight others look at this worker already/, '#verdict');
    others[0]?.close();
    await says(page, 'All is well', '#verdict');
    for (const other of others) other.close();
  });

  it('shows the refused command and its id, and nothing about a player', async () => {
    const { page } = await browser.visit(url);
    const data = { player: { id: 'canary-player' }, 'canary-member': 1 };
    await sandboxed.caller.send('game.open', data, { messageId: 'm-1' });
    const row = page.locator('#causes summary').filter({ hasText: 'game.open: VALIDATION_FAILED' });
    await row.press('Enter');
    await says(page, 'poker-bridge trace --id m-1', '#causes');
    // A second failure changes the row, which stays open and keeps the focus.
    await sandboxed.caller.send('game.open', data, { messageId: 'm-2' });
    await says(page, 'poker-bridge trace --id m-2', '#causes');
    expect(await row.evaluate((element) => element === (globalThis as any).document.activeElement)).toBe(
      true,
    );
    expect(await page.getByRole('main').textContent()).not.toContain('canary');
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
    await says(page, 'All is well', '#verdict');
    await says(page, 'game.open: VALIDATION_FAILED', '#causes');
    await says(page, 'dead letters: VALIDATION_FAILED', '#causes');
    const heightOf = () => page.evaluate(() => (globalThis as any).document.documentElement.scrollHeight);
    expect(await heightOf()).toBeLessThan(2_000);
    for (const summary of await page.locator('summary').all()) await summary.click();
    expect(await faultsOf(page)).toEqual([]);
  });

  it('reports that the worker is stopping, then gone, and shows the next one at its address', async () => {
    const { page } = await browser.visit(url);
    await says(page, 'All is well', '#verdict');
    await page.locator('summary').filter({ hasText: 'This worker' }).click();
    await sandboxed.platform.fault({ kind: 'latency', fixedMs: 5_000, operation: 'open-game' });
    const held = sandboxed.caller.send('game.open', { player: { id: 'ada' } });
    // Anchored: the cell as a whole ends with a time or a status, and then with the number of those in
    // flight.
    await says(page, /^[1-9]\d* in flight/, '#operators');
    sandboxed.worker.kill('SIGTERM');
    await says(page, /^The worker is stopping/, '#verdict');
    await held;
    await sandboxed.worker.ended();
    await says(page, /^The worker does not answer/, '#verdict');
    await sandboxed.service.worker();
    await says(page, 'All is well', '#verdict');
    await says(page, 'dead letters: VALIDATION_FAILED', '#causes');
    expect(await page.locator('#causes').textContent()).not.toContain('game.open: ');
  });
});
