import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { uniquePrefix } from '../../support/broker.ts';
import { healthy } from '../../support/platform-answers.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';
import { INTERNAL_KEY, idsOf, KeptMessages } from './kept-messages.ts';
import { outcomeOf, startCli } from './run-cli.ts';

const TOKEN_MEMBERS = /"auth"|redirectUrl/;

describe('poker-bridge replies', () => {
  const gone = `${uniquePrefix()}-gone`;
  // Ends before the service, whose connection it uses.
  afterAll(() => service.caller.channel.deleteQueue(gone));
  const service = serviceForAll({ behaviour: healthy(1), variables: { INTERNAL_KEY }, workers: 1 });
  const kept = new KeptMessages(service);
  let queue: string;
  // The worker that parked them has stopped; a running one would deliver them by itself.
  beforeAll(async () => {
    queue = service.name('replies.undelivered');
    const put = (messageId: string, replyTo: string): void =>
      service.caller.publish('session.create', { userId: 'p-1' }, { messageId, replyTo });
    put('one', gone);
    put('two', `${gone}-too`);
    put('three', gone);
    put('four', 'amq.gen-of-a-caller-that-has-gone');
    await until('four are parked', async () => (await service.depth('replies.undelivered')) === 4, 30_000);
    await service.stop();
  });

  it('are counted and listed, without tokens', async () => {
    const people = await kept.run('replies list');
    expect(people.stdout).toMatch(new RegExp(`^4 parked replies in ${queue}\n`));
    expect(people.stdout).toMatch(/REPLY_QUEUE_GONE +session\.created +4 /);
    expect(people.stdout).not.toMatch(TOKEN_MEMBERS);
    expect(people.stdout).toMatch(/ never +amq\.gen-of-a-caller-that-has-gone +\d+ +four:0\n/);
    expect(people.stdout).toMatch(/ waits +.*-too +\d+ +two:0\n/);
    expect(people.stdout).toMatch(/\n1 can never be delivered: replies discard removes what is chosen\n$/);
    const { lines } = await kept.run(`replies list --queue ${gone} --json`);
    const reason = 'REPLY_QUEUE_GONE';
    const facts = { type: 'session.created', operator: null, reason, queue: gone, bytes: expect.any(Number) };
    const failedAt: unknown = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(lines).toEqual(['one:0', 'three:0'].map((id) => ({ id, failedAt, ...facts })));
  });

  it('are shown by the id of their command', async () => {
    const { stdout } = await kept.run('replies show two');
    expect(stdout).toContain('  messageId: two:0\n');
    expect(stdout).not.toMatch(TOKEN_MEMBERS);
  });

  it('stay if their queue is missing, or if they were sealed with another key', async () => {
    const missing = await kept.run('replies redeliver --all --yes');
    expect([missing.code, missing.stdout]).toEqual([
      1,
      expect.stringMatching(/1 × its queue was named by the broker[^]*\n0 redelivered, 4 left\n$/),
    ]);
    expect(missing.stderr).toContain(`1 left: ${gone}: the queue does not exist\n`);
    expect(missing.stderr).toContain(`1 left: ${gone}: waits behind a message that was not taken\n`);
    const foreign = await kept.run('replies redeliver --all --yes', { INTERNAL_KEY: 'x'.repeat(32) });
    expect([foreign.code, foreign.stdout]).toEqual([1, expect.stringContaining('4 × no worker with this')]);
    expect(await service.depth('replies.undelivered')).toBe(4);
  });

  it('are delivered unchanged once their queue exists again, and not while a worker delivers', async () => {
    const { channel } = service.caller;
    await channel.assertQueue(gone, { durable: true });
    // A delivering worker holds the same lock.
    const { queue: lock } = await channel.assertQueue(`${queue}.forwarder`, {
      exclusive: true,
      durable: false,
      arguments: { 'x-queue-type': 'classic', 'x-max-length': 0 },
    });
    const line = `replies redeliver --queue ${gone} --yes --json`;
    const child = startCli(line.split(' '), { variables: kept.variables });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const ended = outcomeOf(child);
    await until('it waits', () => stderr.includes(`another process is working on ${queue}; waiting`));
    expect((await channel.checkQueue(gone)).messageCount).toBe(0);
    await channel.deleteQueue(lock);
    const { code, lines } = await ended;
    expect([code, lines.map(({ id }) => id)]).toEqual([0, ['one:0', 'three:0']]);
    const replies = await service.caller.drain(gone);
    expect(idsOf(replies)).toEqual(['one:0', 'three:0']);
    expect(replies[0]?.properties.headers).toMatchObject({ 'command-id': 'one', sequence: 0, final: true });
    expect(Object.keys(replies[0]?.properties.headers ?? {})).not.toContain('x-reason');
    expect(JSON.parse(replies[0]?.content.toString() ?? '')).toMatchObject({ userId: 'p-1' });
    expect(await service.depth('replies.undelivered')).toBe(2);
  });

  it('are discarded', async () => {
    const { code } = await kept.run('replies discard --id two --id four --yes');
    expect(code).toBe(0);
    await until('it is gone', async () => (await service.depth('replies.undelivered')) === 0);
  });
});
