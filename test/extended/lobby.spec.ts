import { describe, expect, it } from '@jest/globals';
import { browserForAll, expectFitting } from '../support/browser.ts';
import { SandboxClient } from '../support/sandbox-client.ts';
import { SandboxProcess } from '../../scripts/processes/sandbox-process.ts';

/** The path for a screenshot, to update docs/images/lobby.png. If unset, none is written. */
const PICTURE = process.env['LOBBY_PICTURE'];

describe('the page of a session, in a browser', () => {
  const browser = browserForAll();

  it('shows the player and the table, and counts down', async () => {
    await using sandbox = new SandboxProcess();
    const url = await gameUrl(
      sandbox,
      {
        tableId: 42,
        lang: 'de',
        launchOptions: { restoreSessionUrl: 'https://casino.example/poker', theme: 'midnight' },
      },
      { id: 'player-7', nick: 'Ace of ♠', currency: 'EUR' },
    );
    const { page, complaints, requested } = await browser.visit(url);
    expect(await page.title()).toBe('Table 42 – Ace of ♠ – Poker sandbox');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Table 42');
    expect(await page.getByRole('main').textContent()).toMatch(/Opened for\s+Ace of ♠/);
    const token = page.getByRole('timer', { name: 'Token' });
    const bar = page.getByRole('progressbar', { name: 'Token' });
    const barMs = () => bar.evaluate((element) => (element as unknown as { value: number }).value);
    const [before, barBeforeMs] = [secondsOf(await token.textContent()), await barMs()];
    expect(before).toBeGreaterThan(290);
    await page.waitForTimeout(2500);
    const passed = before - secondsOf(await token.textContent());
    expect(passed).toBeGreaterThanOrEqual(2);
    expect(passed).toBeLessThan(20);
    expect(await barMs()).toBeLessThan(barBeforeMs - 2000);
    if (PICTURE !== undefined) await page.screenshot({ path: PICTURE, fullPage: true });
    expect(complaints).toEqual([]);
    expect(requested.filter((address) => !address.startsWith(`${new URL(url).origin}/`))).toEqual([]);
  });

  it('changes when the token and then the session expire, and links back to the casino', async () => {
    await using sandbox = new SandboxProcess({
      SANDBOX_TOKEN_LIFETIME_MS: '2500',
      SANDBOX_SESSION_LIFETIME_MS: '5000',
    });
    const launchOptions = { restoreSessionUrl: 'https://casino.example/poker' };
    const { page } = await browser.visit(await gameUrl(sandbox, { launchOptions }, { id: 'ada' }));
    const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
    await heading('Lobby');
    await heading('The token has expired');
    await heading('The session has expired');
    const link = page.getByRole('link', { name: 'Log in again at casino.example' });
    expect(await link.getAttribute('href')).toBe('https://casino.example/poker');
    expect(await page.getByRole('timer').count()).toBe(0);
  });

  it('fits a narrow window, and is dark if that is preferred', async () => {
    await using sandbox = new SandboxProcess({ SANDBOX_NICKNAME_MAX_LENGTH: '255' });
    const long = 'W'.repeat(200);
    const { page } = await browser.visit(
      await gameUrl(sandbox, { launchOptions: { [long]: long } }, { id: long, nick: long }),
    );
    await expectFitting(page);
  });
});

function secondsOf(clock: string | null): number {
  return (clock ?? '').split(':').reduce((seconds, part) => 60 * seconds + Number(part), 0);
}

async function gameUrl(sandbox: SandboxProcess, session: object, player: object): Promise<string> {
  return new SandboxClient(await sandbox.url).gameUrl(session, player);
}
