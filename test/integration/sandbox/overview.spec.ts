import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../../support/until.ts';
import { canonicalOf } from './canonical-of.ts';
import { startSandboxUnderTest, type SandboxUnderTest } from './sandbox-under-test.ts';

const HOSTILE = '<img src=x onerror=alert(1)>';
const ESCAPED = '&lt;img src=x onerror=alert(1)&gt;';
const LANDING = { method: 'GET', path: '/' };

describe('the first page of the sandbox', () => {
  let sandbox: SandboxUnderTest;
  beforeAll(async () => {
    sandbox = await startSandboxUnderTest();
  });
  afterAll(async () => sandbox?.[Symbol.asyncDispose]());

  it('shows what was sent, as text, and no secret of it', async () => {
    const game = { player: { id: 'ada', nick: HOSTILE }, session: { tableId: 7 } };
    const canonical = canonicalOf({ client: 'sandbox', data: { attributes: game, type: 'OpenGame' } });
    const opened = await sandbox.openGame(game, canonical);
    const wrong = await sandbox.session('ada', {}, { sign: 'f'.repeat(64) });
    expect([opened.status, wrong.status]).toEqual([200, 400]);
    const shown = await until('both are in the log', async () => {
      const { text } = await sandbox.send(LANDING);
      return text.includes('signature right') && text.includes('signature wrong') ? text : undefined;
    });
    expect(shown).toContain(`<bdi>${ESCAPED}</bdi></strong> at table 7`);
    expect(shown).toContain('No usual mistake gives this signature');
    expect(shown).not.toContain(HOSTILE);
    const { auth } = opened.json.data.attributes;
    for (const secret of ['sandbox-secret-key', auth, 'f'.repeat(64)]) expect(shown).not.toContain(secret);
  });

  it('lets no script but its own run, and nobody frame it', async () => {
    await using fresh = await startSandboxUnderTest();
    const { headers, text } = await fresh.send(LANDING);
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; " +
        "connect-src 'self'; frame-ancestors 'none'",
    );
    expect(text).not.toMatch(/<script(?! type="module" src=)|\son\w+=|\sstyle=/);
  });

  it.each(['/', '//', '/?', '/sandbox/events', '/Sandbox/Events/'])(
    'refuses requests for %s to a foreign host',
    async (path) => {
      const answer = await sandbox.send({ method: 'GET', path, headers: { host: 'evil.example' } });
      expect([answer.status, answer.headers['content-type']]).toEqual([421, 'application/problem+json']);
    },
  );

  it('is kept up to date: all parts at first, then what has changed', async () => {
    const watcher = await watch(sandbox);
    await until('the first parts', () => watcher.parts.length > 0);
    expect(Object.keys(watcher.parts[0]!)).toEqual(['figures', 'faults', 'requests', 'sessions', 'players']);
    await sandbox.control('POST', 'faults', { kind: 'status', status: 503, count: 2 });
    await until('the fault', () => watcher.parts.length > 1);
    expect(watcher.parts[1]).toEqual({ faults: expect.stringContaining('2 more requests') });
    watcher.close();
    await sandbox.control('DELETE', 'faults');
  });

  it('keeps 20 pages up to date, and no more', async () => {
    const watchers = await Promise.all(Array.from({ length: 20 }, () => watch(sandbox)));
    const refused = await sandbox.send({ method: 'GET', path: '/sandbox/events' });
    expect([refused.status, refused.json.detail]).toEqual([429, 'Too many pages are open; close some.']);
    for (const watcher of watchers) watcher.close();
    await until('there is room', async () => {
      const next = await watch(sandbox);
      next.close();
      return next.status === 200;
    });
  });

  it('does not hold up the end of the sandbox', async () => {
    const stopping = await startSandboxUnderTest();
    const watcher = await watch(stopping);
    await until('the first parts', () => watcher.parts.length > 0);
    await stopping[Symbol.asyncDispose]();
    // It ended as a stream does, and was not cut off.
    expect(await watcher.ended).toBe('ended');
  });
});

interface Watcher {
  readonly status: number;
  readonly parts: readonly Record<string, string>[];
  readonly ended: Promise<'ended' | 'cut off'>;
  close(): void;
}

/** Reads the server-sent events as a page does. */
function watch({ url }: SandboxUnderTest): Promise<Watcher> {
  return new Promise((resolve, reject) => {
    const request = http.get(`${url}/sandbox/events`, { agent: false }, (response) => {
      const parts: Record<string, string>[] = [];
      let rest = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        const events = (rest + text).split('\n\n');
        rest = events.pop() ?? '';
        for (const [, data = '{}'] of events.flatMap((event) => [
          .../^data: (.*)$/gm[Symbol.matchAll](event),
        ]))
          parts.push(JSON.parse(data) as Record<string, string>);
      });
      const ended = new Promise<'ended' | 'cut off'>((settle) => {
        response.on('error', () => settle('cut off')).on('end', () => settle('ended'));
      });
      resolve({ status: response.statusCode ?? 0, parts, ended, close: () => request.destroy() });
    });
    request.on('error', reject);
  });
}
