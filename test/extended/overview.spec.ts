import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';

import { browserForAll, expectFitting } from '../support/browser.ts';
import { SandboxClient } from '../support/sandbox-client.ts';
import { SandboxProcess } from '../../scripts/processes/sandbox-process.ts';

/** The path for a screenshot, to update docs/images/sandbox.png. If unset, none is written. */
const PICTURE = process.env['SANDBOX_PICTURE'];

describe('the first page of the sandbox, in a browser', () => {
  const browser = browserForAll();

  const region = (page: Page, name: string) => page.getByRole('region', { name });
  const live = (page: Page) => page.getByRole('status').getByText('live', { exact: true }).waitFor();

  it('shows requests, sessions and players as they arrive, and explains a signature', async () => {
    await using sandbox = new SandboxProcess();
    const { page, complaints, requested } = await browser.visit(await sandbox.url);
    await live(page);
    await region(page, 'Last requests').getByText('None yet.', { exact: false }).waitFor();
    for (const nick of ['River Rat', 'Zoë', 'Ace of ♠'])
      await openTable(sandbox, { id: nick.toLowerCase(), nick, currency: 'EUR' });
    await region(page, 'Players').getByText('Ace of ♠', { exact: true }).waitFor();
    await region(page, 'Sessions').getByText('Ace of ♠ at table 42').waitFor();
    expect(await region(page, 'Last requests').getByText('signature right').count()).toBe(3);

    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const path = '/api/web/v2/app/users/ada/session?clientId=sandbox';
    await new SandboxClient(new URL(page.url()).origin).send({
      method: 'POST',
      path,
      headers,
      body: 'userId=ada',
    });
    const wrong = region(page, 'Last requests').getByRole('listitem').first();
    await wrong.getByText('signature wrong').click();
    await wrong.getByText('The header sign is missing.').first().waitFor();
    if (PICTURE !== undefined) await page.screenshot({ path: PICTURE });
    // Later requests leave the explanation open.
    await openTable(sandbox, { id: 'dora' });
    await region(page, 'Players').getByText('dora').first().waitFor();
    const explained = region(page, 'Last requests').getByText('The header sign is missing.').first();
    expect(await explained.isVisible()).toBe(true);
    expect(complaints).toEqual([]);
    expect(requested.filter((address) => !address.startsWith(`${new URL(page.url()).origin}/`))).toEqual([]);
  });

  it('shows answers and lines for curl, keeps refused requests apart, and stops while it is paused', async () => {
    await using sandbox = new SandboxProcess();
    const { page, complaints } = await browser.visit(await sandbox.url);
    await live(page);
    const requests = region(page, 'Last requests');
    await new SandboxClient(await sandbox.url).session('ada', {}, { sign: 'wrong' });
    await openTable(sandbox, { id: 'bob' });
    await requests.getByText('open-game').first().click();
    await requests.getByText('"type":"GameSession"').waitFor();
    await requests.getByText('"$SANDBOX_SECRET_KEY" | sha256sum').first().waitFor();
    await requests.getByLabel('refused only').check();
    expect(await requests.getByRole('listitem').count()).toBe(1);
    await requests.getByLabel('refused only').uncheck();
    await requests.getByRole('button', { name: 'Pause' }).press('Enter');
    await openTable(sandbox, { id: 'cleo' });
    await region(page, 'Players').getByText('cleo').first().waitFor();
    expect(await requests.getByRole('listitem').count()).toBe(2);
    await requests.getByRole('button', { name: 'Continue' }).press('Enter');
    await requests.getByRole('listitem').nth(2).waitFor();
    expect(complaints).toEqual([]);
  });

  it('switches faults on and off with mouse and keyboard', async () => {
    await using sandbox = new SandboxProcess();
    const url = await sandbox.url;
    const { page, complaints } = await browser.visit(url);
    await live(page);
    const faults = region(page, 'Faults');
    await faults.locator('[name="kind"]').selectOption('status');
    const status = faults.locator('fieldset[data-kind="status"]').getByLabel('status');
    await status.fill('503');
    await faults.locator('[name="operation"]').selectOption('open-game');
    await faults.locator('[name="count"]').fill('2');
    await faults.getByRole('button', { name: 'Switch on' }).press('Enter');
    await faults.getByText('open-game, 2 more requests').waitFor();
    expect(await (await fetch(`${url}/sandbox/faults`)).json()).toMatchObject([
      { operation: 'open-game', remaining: 2, fault: { kind: 'status', status: 503 } },
    ]);
    await faults.locator('[name="kind"]').selectOption('latency');
    expect(await status.isVisible()).toBe(false);
    await faults.getByLabel('fixedMs').fill('-1');
    await faults.getByRole('button', { name: 'Switch on' }).click();
    await faults.getByText('fixedMs must be an integer from 0').waitFor();
    await faults.getByRole('button', { name: 'Switch off status' }).press('Enter');
    await faults.getByText('None: the platform has a good day.').waitFor();
    expect(await (await fetch(`${url}/sandbox/faults`)).json()).toEqual([]);
    expect(complaints.filter((line) => !line.includes('422'))).toEqual([]);
  });

  it('reports that the sandbox is unavailable, and recovers when it restarts', async () => {
    const first = new SandboxProcess();
    const port = new URL(await first.url).port;
    const { page } = await browser.visit(await first.url);
    await live(page);
    first.kill('SIGTERM');
    await page.getByRole('status').getByText('not live: the sandbox is away').waitFor();
    expect(await first.exited).toEqual({ code: 0, signal: null });
    await using second = new SandboxProcess({ SANDBOX_PORT: port });
    await openTable(second, { id: 'erna' });
    await region(page, 'Players').getByText('erna').first().waitFor();
    await live(page);
  });

  it('shows any name as text, fits a phone, and follows the preferred colour scheme', async () => {
    await using sandbox = new SandboxProcess({ SANDBOX_NICKNAME_MAX_LENGTH: '255' });
    const { page, complaints } = await browser.visit(await sandbox.url);
    const hostile = '<img src=x onerror=alert(1)>';
    for (const nick of ['W'.repeat(200), hostile]) await openTable(sandbox, { id: nick, nick });
    await region(page, 'Players').getByText(hostile, { exact: true }).waitFor();
    await page.locator('summary').first().click();
    await expectFitting(page);
    expect(complaints).toEqual([]);
  });
});

async function openTable(sandbox: SandboxProcess, player: object): Promise<void> {
  await new SandboxClient(await sandbox.url).gameUrl({ tableId: 42, lang: 'de' }, player);
}
