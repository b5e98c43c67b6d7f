import { describe, expect, it } from '@jest/globals';

import { EventStream } from '../../support/event-stream.ts';
import { Gate, healthy } from '../../support/platform-answers.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PLAYER = { id: 'canary-player', nick: 'canary-nick', email: 'canary@example.com' };

describe('the console of a worker', () => {
  const gate = new Gate();
  const service = serviceForAll({ behaviour: gate.behind(healthy()), workers: 1 });

  const watch = async () => EventStream.open(`${await service.running.url()}/console/events`);

  it("consists of the worker's own files, and its content security policy allows no others", async () => {
    const page = await fetch(`${await service.running.url()}/console`);
    const html = await page.text();
    const names = html.matchAll(/(?:src|href)="(console\/[^"]+)"/g).toArray();
    expect(html).not.toMatch(/<style|style=|<script>|\son[a-z]+=|<button|<input|<form/i);
    expect(names.length).toBeGreaterThan(3);
    const files = [page, ...(await Promise.all(names.map(([, name]) => fetch(new URL(name!, page.url)))))];
    expect(files.map(({ status }) => status)).toEqual(files.map(() => 200));
    for (const { headers } of files) {
      expect(headers.get('content-security-policy')).toBe(POLICY);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it.each(['nothing.js', '..%2fassets.js', 'constructor'])('returns 404 for %s', async (name) => {
    expect((await service.running.get(`/console/${name}`)).status).toBe(404);
  });

  it('refuses a page of another origin, which does not count as a viewer', async () => {
    const url = `${await service.running.url()}/console/events`;
    expect((await fetch(url, { headers: { origin: 'https://elsewhere.example' } })).status).toBe(403);
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(403);
  });

  it("shows in-flight commands, failures with reasons and queued messages, but no players' data", async () => {
    const others: readonly [object, object][] = [
      [{ player: PLAYER, 'canary-member': 1 }, { messageId: 'm-1' }],
      [{ player: PLAYER }, { messageId: 'm-2', headers: { operator: 'canary-operator' } }],
    ];
    for (const [body, options] of others) await service.caller.send('game.open', body, options);
    // Dead letters are inspected for the first viewer, and again ten seconds later.
    await until('both are dead letters', async () => (await service.depth('dead-letters')) === 2);
    const held = service.caller.send('game.open', { player: PLAYER });
    const stream = await watch();
    await stream.until('now', ({ lanes }) => lanes[0].inFlight === 1);
    gate.open();
    await held;
    const view = await stream.until(
      'now',
      ({ commands, lanes, causes }) =>
        lanes[0].inFlight === 0 &&
        causes.length === 4 &&
        commands.types.some(({ type, answered }: any) => type === 'game.open' && answered === 3),
    );
    expect(view).toMatchObject({
      verdict: { level: 'well' },
      broker: { isConnected: true },
      lanes: [
        { lane: 'interactive', state: 'consuming' },
        { lane: 'reports', state: 'consuming' },
      ],
    });
    const interactive = service.name('interactive');
    expect(view.causes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          what: 'game.open: UNKNOWN_OPERATOR',
          operators: [],
          count: 1,
          commands: [expect.objectContaining({ id: 'm-2' })],
        }),
        expect.objectContaining({
          what: 'game.open: VALIDATION_FAILED',
          operators: ['default'],
          count: 1,
          commands: [expect.objectContaining({ id: 'm-1', pointers: ['/*'] })],
        }),
        expect.objectContaining({
          what: `dead letters: VALIDATION_FAILED, from ${interactive}`,
          count: 1,
          line: 'poker-bridge dead-letters list --reason VALIDATION_FAILED',
          commands: [
            expect.objectContaining({
              id: 'm-1',
              type: 'game.open',
              pointers: ['/*'],
              reason: expect.any(String),
              line: 'poker-bridge trace --id m-1',
            }),
          ],
        }),
      ]),
    );
    expect(view.queues[0]).toEqual({
      queue: interactive,
      lane: 'interactive',
      messages: 0,
      consumers: expect.any(Number),
    });
    expect(view.queues).toContainEqual(
      expect.objectContaining({ queue: service.name('dead-letters'), messages: 2 }),
    );
    expect(view.operators[0]).toMatchObject({ operator: 'default' });
    expect(stream.text).not.toMatch(/canary/i);
  });

  it('ends all streams as soon as the worker begins to stop, before commands finish', async () => {
    const closed = service.hold();
    const stream = await watch();
    const held = service.caller.send('game.open', { player: PLAYER });
    await until('it is in flight', () => closed.held === 1);
    service.running.kill('SIGTERM');
    await stream.until('closing', ({ reason }) => reason === 'stopping');
    await until('the stream has ended', () => stream.hasEnded);
    expect(service.running.child.exitCode).toBeNull();
    const late = await watch();
    await late.until('closing', ({ reason }) => reason === 'stopping');
    closed.open();
    await held;
    expect(await service.running.ended()).toEqual({ code: 0, signal: null });
  });
});
