import { setTimeout as wait } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import { EventStream } from '../../support/event-stream.ts';
import { until } from '../../support/until.ts';
import { sharedSandbox, startSandboxUnderTest, type SandboxUnderTest } from './sandbox-under-test.ts';

const HOSTILE = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>`;
const ESCAPED =
  '&#60;script&#62;alert(1)&#60;/script&#62;&#34;&#39;&#62;&#60;img src=x onerror=alert(1)&#62;';
const RESTORE = 'https://casino.example/login?a=1&b=2';
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";

const open = (sandbox: SandboxUnderTest, url: string) => sandbox.get(url.slice(sandbox.url.length));

const textOf = (page: string) => page.replaceAll(/^.*<body>|<[^>]*>|\s+/gs, ' ').replaceAll(/ +/g, ' ');

describe('the page of a session', () => {
  const sandbox = sharedSandbox({ SANDBOX_NICKNAME_MAX_LENGTH: '255' });

  it('shows the player whose lobby the redirectUrl opens, and the remaining time', async () => {
    const { json } = await sandbox.session('u-1', { nick: 'Ace ♠', lang: 'de', currency: 'EUR' });
    const { status, text: page } = await open(sandbox, json.data.attributes['redirect-url']);
    expect([status, page]).toEqual([200, expect.stringContaining('<html lang="en">')]);
    for (const part of [
      / Session open Lobby Opened for Ace ♠ ?\. /,
      / Session (1:00:00|59:\d\d) until .* Token (5:00|4:\d\d) until /,
      / Player id u-1 Currency EUR Operator sandbox Opens the lobby Opens in a browser external /,
      / Language de Opened \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC Session id /,
      new RegExp(` Session id ${json.data.attributes['session-id']} Launch options None were given\\.`),
    ])
      expect(textOf(page)).toMatch(part);
  });

  it('shows the table that the url opens, and the launch options', async () => {
    const launchOptions = { theme: 'dark', seats: [1, 2], restoreSessionUrl: RESTORE };
    const url = await sandbox.gameUrl({ tableId: 42, authType: 'internal', lang: 'xx', launchOptions });
    const { status, text } = await open(sandbox, url);
    expect([status, new URL(url).pathname]).toEqual([200, '/table/42']);
    for (const part of [
      / Session open Table 42 Opened for ada ?\. /,
      / Opens table 42 Opens in a desktop or mobile app internal Language xx Opened /,
      / theme dark seats \[1,2\] restoreSessionUrl https:\/\/casino.example\//,
    ])
      expect(textOf(text)).toMatch(part);
    // the way back is only for expired sessions
    expect(text).not.toContain('<a ');
  });

  it('says so if the URL names another place than the session', async () => {
    const lobby = await sandbox.gameUrl({ id: 's-1' });
    const table = await sandbox.gameUrl({ id: 's-1', tableId: 7 });
    expect((await open(sandbox, table)).text).not.toContain('This address names');
    const { status, text } = await open(sandbox, lobby);
    expect([status, textOf(text)]).toEqual([200, expect.stringMatching(/ Table 7 .* names the lobby\. /)]);
    const other = await open(sandbox, table.replace('/table/7', `/table/${encodeURIComponent(HOSTILE)}`));
    expect(other.text).toContain(`names table ${ESCAPED}.`);
  });

  it('escapes every external value', async () => {
    const launchOptions = { [HOSTILE]: HOSTILE, nested: { text: HOSTILE }, restoreSessionUrl: HOSTILE };
    const session = { id: HOSTILE, lang: HOSTILE, launchOptions };
    const url = await sandbox.gameUrl(session, { id: HOSTILE, nick: HOSTILE, currency: HOSTILE });
    const { text } = await open(sandbox, url);
    expect(text.split(ESCAPED).length).toBeGreaterThan(8);
    expect([...text.matchAll(/<(?:script|img)[^>]*>/g)].map(([tag]) => tag)).toEqual([
      '<script type="module" src="/assets/countdown.js">',
      '<img src="/assets/spade.svg" alt="" width="28" height="28" />',
    ]);
    expect(text).not.toContain('alert(1)>"');
  });

  it('allows no foreign script, is not cached, and sends no referrer', async () => {
    const url = await sandbox.gameUrl({});
    const unknown = `${sandbox.url}/lobby?auth=none`;
    const { text } = await open(sandbox, url);
    const own = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path]) => sandbox.url + path);
    expect(own).toHaveLength(4);
    for (const address of [url, unknown, ...own]) {
      const { headers, status } = await open(sandbox, address);
      expect(status).toBe(address === unknown ? 404 : 200);
      expect(headers).toMatchObject({
        'content-security-policy': POLICY,
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      });
    }
    expect(text).not.toMatch(/ style=| on\w+=|<style|javascript:/);
  });

  it.each(['/lobby', '/lobby?auth=', '/lobby?auth=none', '/lobby?auth=a&auth=b', '/table/7?auth=__proto__'])(
    'says that there is no session behind %s',
    async (path) => {
      await sandbox.session('ada', { nick: 'Ace' });
      const { status, headers, text } = await sandbox.get(path);
      expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      expect(textOf(text)).toContain('No session has this token');
      expect(text).not.toContain('Ace');
    },
  );

  it.each([
    [
      'token',
      / Token expired The token has expired The session of ada is still open.* Session (1:00:00|59:\d\d) until .* Token expired since /,
    ],
    ['session', / Session expired The session has expired The session of ada is over\./],
  ])('says that the %s has expired, and offers restoreSessionUrl', async (what, expected) => {
    const variable = `SANDBOX_${what.toUpperCase()}_LIFETIME_MS`;
    await using shortLived = await startSandboxUnderTest({ [variable]: '1' });
    const url = await shortLived.gameUrl({ launchOptions: { restoreSessionUrl: RESTORE } });
    await wait(5);
    const { status, text } = await open(shortLived, url);
    expect([status, textOf(text)]).toEqual([410, expect.stringMatching(expected)]);
    expect(text).toMatch(/<a\s[^>]*href="https:\/\/casino.example\/login\?a=1&#38;b=2"[^>]*>/);
    expect(textOf(text)).toContain('Log in again at casino.example');
    expect(textOf(text).includes('Time left')).toBe(what === 'token');
  });
});

describe('the first page of the sandbox', () => {
  const sandbox = sharedSandbox();
  const watch = ({ url }: SandboxUnderTest) => EventStream.open(`${url}/sandbox/events`);
  const partsOf = ({ text }: EventStream) =>
    [...text.matchAll(/^data: (.+)\n\n/gm)].map(([, data = '']) => JSON.parse(data) as object);

  it('shows requests as escaped text, without their secrets', async () => {
    const player = { id: 'ada', nick: '<img src=x>' };
    const opened = await sandbox.openGame({ player, session: { tableId: 7 } });
    const wrong = await sandbox.session('ada', {}, { sign: 'f'.repeat(64) });
    expect([opened.status, wrong.status]).toEqual([200, 400]);
    const shown = await until('both are in the log', async () => {
      const { text } = await sandbox.get('/');
      return text.includes('signature right') && text.includes('signature wrong') ? text : undefined;
    });
    expect(shown).toContain('<bdi>&#60;img src=x&#62;</bdi></strong> at table 7');
    expect(shown).toContain('<pre><code>sandboxada&#60;img src=x&#62;7OpenGame</code></pre>');
    expect(shown).toContain('No usual mistake gives this signature');
    expect(shown).not.toContain('<img src=x>');
    const { auth } = opened.json.data.attributes;
    for (const secret of ['sandbox-secret-key', auth, 'f'.repeat(64)]) expect(shown).not.toContain(secret);
  });

  it('allows only its own scripts, and forbids framing', async () => {
    const { headers, text } = await sandbox.get('/');
    const policy = `${POLICY}; connect-src 'self'; frame-ancestors 'none'`;
    expect(headers['content-security-policy']).toBe(policy);
    expect(text).not.toMatch(/<script(?! type="module" src=)|\son\w+=|\sstyle=/);
  });

  it.each(['/', '//', '/?', '/sandbox/events', '/Sandbox/Events/'])(
    'refuses requests for %s to a foreign host',
    async (path) => {
      const answer = await sandbox.send({ method: 'GET', path, headers: { host: 'evil.example' } });
      expect([answer.status, answer.headers['content-type']]).toEqual([421, 'application/problem+json']);
    },
  );

  it('is kept up to date', async () => {
    const watcher = await watch(sandbox);
    await until('the first parts', () => partsOf(watcher).length > 0);
    const [first] = partsOf(watcher);
    expect(Object.keys(first!)).toEqual(['figures', 'faults', 'requests', 'refused', 'sessions', 'players']);
    await sandbox.fault({ kind: 'status', status: 503, count: 2 });
    await until('the fault', () => partsOf(watcher).length > 1);
    expect(partsOf(watcher)[1]).toEqual({ ...first, faults: expect.stringContaining('2 more requests') });
    watcher.close();
  });

  it('keeps 20 pages up to date, and no more', async () => {
    const watchers = await Promise.all(Array.from({ length: 20 }, () => watch(sandbox)));
    const refused = await sandbox.get('/sandbox/events');
    expect([refused.status, refused.json.detail]).toEqual([429, 'Too many pages are open; close some.']);
    for (const watcher of watchers) watcher.close();
    await until('there is room', async () => {
      const next = await watch(sandbox);
      await until('it is answered', () => next.hasEnded || next.text !== '');
      next.close();
      return partsOf(next).length > 0;
    });
  });

  it('does not delay the shutdown of the sandbox', async () => {
    const stopping = await startSandboxUnderTest();
    const watcher = await watch(stopping);
    await until('the first parts', () => partsOf(watcher).length > 0);
    await stopping[Symbol.asyncDispose]();
    await until('the stream has ended', () => watcher.hasEnded);
    expect(watcher.isCut).toBe(false);
  });
});
