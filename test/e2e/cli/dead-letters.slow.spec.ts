import { afterEach, describe, expect, it } from '@jest/globals';

import { topologyOf } from '#messaging';

import { healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { sandboxedForAll } from '../commands/sandboxed-service.ts';
import { INTERNAL_KEY, idsOf, KeptMessages, letters } from './kept-messages.ts';

const CANARY = 'CANARY-of-a-player';

describe('poker-bridge dead-letters', () => {
  // No worker consumes reports, so the test can read redriven messages there.
  const sandboxed = sandboxedForAll({ worker: { INTERNAL_KEY, LANES: 'interactive' } });
  const kept = new KeptMessages(sandboxed.service);
  afterEach(async () => {
    for (const queue of ['dead-letters', 'reports'])
      await sandboxed.caller.channel.purgeQueue(sandboxed.service.name(queue));
  });

  it('are counted by reason, type and caller, and the newest listed, without their bodies', async () => {
    await kept.put(0, 24, { body: { userId: CANARY } });
    await kept.put(24, 25, {
      type: 'game.open',
      reason: 'VALIDATION_FAILED',
      caller: 'shop',
      appId: 'lobby',
    });
    const { code, stdout, stderr } = await kept.run('dead-letters list');
    expect([code, stderr]).toEqual([0, '']);
    const lines = [
      new RegExp(`^25 dead letters in ${sandboxed.service.name('dead-letters')}$`),
      /^$/,
      /^reason +type +caller +count +first +last$/,
      /^PLATFORM_UNAVAILABLE +report\.rake\.fetch +anonymous +24 +2026-03-01T00:00:00.000Z +2026-03-01T00:00:23.000Z$/,
      /^VALIDATION_FAILED +game\.open +shop \(lobby\) +1 /,
      /^$/,
      /^the newest 20; --limit 25 lists all$/,
      /^failed at +reason +type +operator +caller +queue +bytes +id$/,
      ...letters(5, 24).map((id) => new RegExp(` ${id}$`)),
      /VALIDATION_FAILED +game\.open +default +shop \(lobby\) .* letter-24$/,
    ];
    expect(stdout.trimEnd().split('\n')).toEqual(lines.map((line) => expect.stringMatching(line)));
    expect(stdout).not.toContain(CANARY);
    const forPrograms = await kept.run('dead-letters list --json');
    expect(forPrograms.lines[7]).toEqual({
      id: 'letter-7',
      type: 'report.rake.fetch',
      operator: 'default',
      reason: 'PLATFORM_UNAVAILABLE',
      failedAt: '2026-03-01T00:00:07.000Z',
      queue: sandboxed.service.name('reports'),
      bytes: 31,
    });
    expect(forPrograms.lines.map(({ id }) => id)).toEqual(letters(0, 25));
  });

  it('are selected by each option', async () => {
    await kept.put(0, 1);
    await kept.put(1, 2, { reason: 'VALIDATION_FAILED' });
    await kept.put(2, 3, { caller: 'shop', type: 'game.open' });
    const chosen: [options: string, ids: string[]][] = [
      ['--reason VALIDATION_FAILED', ['letter-1']],
      ['--type game.open --type session.create', ['letter-2']],
      ['--type report.rake.fetch --type game.open --caller shop', ['letter-2']],
      ['--id letter-0 --id letter-2', ['letter-0', 'letter-2']],
      ['--since 2026-03-01T00:00:01Z', ['letter-1', 'letter-2']],
      ['--since 1h', []],
      ['--limit 2', ['letter-1', 'letter-2']],
    ];
    for (const [options, ids] of chosen) {
      const { lines } = await kept.run(`dead-letters list --json ${options}`);
      expect([options, lines.map(({ id }) => id)]).toEqual([options, ids]);
    }
  });

  it('suggests existing values if an option matches no dead letter', async () => {
    await kept.put(0, 2, { reason: 'VALIDATION_FAILED' });
    await kept.put(2, 3);
    const none = await kept.run('dead-letters list --reason VALIDATION --type report.rake.fetch');
    expect(none).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^0 dead letters in /),
      stderr:
        'no message has --reason VALIDATION; there are VALIDATION_FAILED (2), PLATFORM_UNAVAILABLE (1)\n',
    });
  });

  it('are shown in their places, with the body only on request', async () => {
    await kept.put(0, 2, { body: { userId: CANARY } });
    const plain = await kept.run('dead-letters show letter-1');
    expect(plain.stdout).toMatch(
      /properties\n(?: {2}.*\n)+headers\n(?: {2}.*\n)+invalid\n(?: {2}.*\n)+body, 31 bytes\n/,
    );
    expect(plain.stdout).toContain('  x-reason: PLATFORM_UNAVAILABLE\n');
    expect(plain.stdout).not.toContain(CANARY);
    const whole = await kept.run('dead-letters show letter-1 --body --json');
    const missing = ['/dateFrom', '/dateTo'].map((pointer) => `${pointer} must be given, and not as null`);
    expect(whole.lines).toEqual([
      {
        properties: expect.objectContaining({ messageId: 'letter-1' }),
        headers: expect.objectContaining({ operator: 'default' }),
        violations: missing,
        body: { userId: CANARY },
      },
    ]);
    const none = await kept.run('dead-letters show letter-9');
    expect([none.code, none.stderr]).toEqual([
      1,
      expect.stringMatching(/has the id letter-9; list shows the ids\n$/),
    ]);
    expect(idsOf(await kept.take('dead-letters', 2))).toEqual(letters(0, 2));
  });

  it('are discarded after a confirmation if selected', async () => {
    await kept.put(0, 2);
    await kept.put(2, 4, { reason: 'MALFORMED_MESSAGE' });
    await kept.put(4, 5);
    const choice = 'dead-letters discard --reason MALFORMED_MESSAGE';
    const unasked = await kept.run(choice);
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('--yes to continue')]);
    const dry = await kept.run(`${choice} --dry-run --json`);
    expect([dry.code, dry.lines.map(({ id }) => id)]).toEqual([0, letters(2, 4)]);
    const { code, stdout } = await kept.run(`${choice} --yes`);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/\n\n2 discarded, 0 left\n$/)]);
    expect(idsOf(await kept.take('dead-letters', 3))).toEqual(['letter-0', 'letter-1', 'letter-4']);
  });

  describe('redrive', () => {
    const inReports = (count: number) => kept.take('reports', count);

    it('leaves commands that would fail again, and sends changed ones', async () => {
      const wrong = { player: { id: 'u-1' }, session: { lang: 'de german', tableId: 7 }, page: 1 };
      await sandboxed.caller.sendForOne('game.open', wrong, { messageId: 'typo', correlationId: 'typo' });
      const shown = await kept.run('dead-letters show typo');
      expect(shown.stdout).toMatch(/\ninvalid\n {2}\/session\/lang must .*\n {2}\/page is not a member /);
      expect(shown.stdout).not.toContain('german');
      const redrive = 'dead-letters redrive --id typo --yes';
      for (const [options, expected] of [
        ['', /0 dead letters .*1 × VALIDATION_FAILED: it would fail again.*--set/s],
        [' --set /session/lang=de', /still invalid: \/page /],
      ] as const) {
        const { code, stdout } = await kept.run(`${redrive}${options}`);
        expect([code, stdout]).toEqual([1, expect.stringMatching(expected)]);
      }
      const answer = sandboxed.caller.repliesTo('typo');
      using folder = temporaryFolder();
      const file = folder.write('lang', 'de\n');
      const { code, lines } = await kept.run(`${redrive} --json --set /session/lang=@${file} --unset /page`);
      expect([code, lines]).toMatchObject([0, [{ id: 'typo', reason: 'VALIDATION_FAILED' }]]);
      // A caller that drops repeats by message id already has the failure typo:0.
      expect(await answer).toMatchObject([
        { type: 'game.opened', messageId: 'typo:1', headers: { sequence: 1 }, body: { playerId: 'u-1' } },
      ]);
      const { session } = await sandboxed.platform.lastGame();
      expect(session).toMatchObject({ lang: 'de' });
      expect(await sandboxed.service.depth('dead-letters')).toBe(0);
    });

    const cut = { headers: { 'x-origin-bytes': 70_000 } };
    it.each([
      ['cut', cut, '--force', /its body was truncated to a KiB/],
      ['of another installation', { key: 'another key' }, '--rate 9', /no worker with this INTERNAL_KEY/],
      ['that is no JSON', { body: Buffer.from('{') }, '--set /page=1', /not a JSON object/],
    ])('leaves a letter %s', async (_, facts, options, expected) => {
      await kept.put(0, 1, facts);
      const { code, stdout } = await kept.run(`dead-letters redrive --all --yes ${options}`);
      expect([code, stdout]).toEqual([1, expect.stringMatching(expected)]);
      expect(idsOf(await kept.take('dead-letters', 1))).toEqual(letters(0, 1));
    });

    it('loses nothing, and repeats no reported message, after a kill half way', async () => {
      await kept.put(0, 40);
      const killed = await kept.interrupt('dead-letters redrive --all --yes --json --rate 20', 10, 'SIGKILL');
      expect(killed.code).toBeNull();
      const reported = killed.stdout.split('\n').slice(0, 10);
      const reportedIds = reported.map((line) => (JSON.parse(line) as { id: string }).id);
      const sent = idsOf(await inReports(10));
      const left = idsOf(await kept.take('dead-letters', 40 - sent.length));
      expect(new Set([...sent, ...left])).toEqual(new Set(letters(0, 40)));
      expect(sent.slice(0, 10)).toEqual(reportedIds);
      // Only the last one may be in both queues: it is reported before its dead letter is acknowledged.
      expect(left.filter((id) => reportedIds.slice(0, -1).includes(id))).toEqual([]);
      expect(sent.length + left.length).toBeLessThanOrEqual(41);
    });

    it('stops after the current message on an interruption, and leaves the others in order', async () => {
      await kept.put(0, 250);
      const line = 'dead-letters redrive --all --yes --json --rate 20';
      const { code, stdout, stderr } = await kept.interrupt(line, 5, 'SIGINT');
      const done = stdout.split('\n').length - 1;
      const expected = `interrupted: ${done} done, ${250 - done} left in their places`;
      expect([code, stderr]).toEqual([1, expect.stringContaining(expected)]);
      expect(idsOf(await inReports(done))).toEqual(letters(0, done));
      expect(idsOf(await kept.take('dead-letters', 250 - done))).toEqual(letters(done, 250));
    });

    it('stops if no worker has declared the lane, and reports a missing queue', async () => {
      // A worker of this service would declare the lane again.
      await using service = await ServiceUnderTest.start({ behaviour: healthy() });
      const unserved = new KeptMessages(service);
      const nowhere = await unserved.run('dead-letters list');
      expect([nowhere.code, nowhere.stderr]).toEqual([
        3,
        expect.stringContaining(`no queue ${service.name('dead-letters')}: no worker`),
      ]);
      const { queues, names } = topologyOf(service.prefix, []);
      const declared = queues.find(({ name }) => name === names.deadLetters)!;
      await service.caller.channel.assertQueue(declared.name, { arguments: declared.arguments });
      await unserved.put(0, 2);
      const stopped = await unserved.run('dead-letters redrive --all --yes');
      expect([stopped.code, stopped.stderr]).toEqual([
        3,
        expect.stringMatching(/the queue does not exist\nstopped.*0 done, 2 left in their places/),
      ]);
      expect(idsOf(await unserved.take('dead-letters', 2))).toEqual(letters(0, 2));
    });
  });
});
