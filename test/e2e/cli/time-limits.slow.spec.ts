import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { type Broker, startBroker } from '../../../scripts/broker/start-broker.ts';
import { healthy } from '../../support/platform-answers.ts';
import { folderForAll, serviceForAll } from '../../support/suite-service.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';
import { INTERNAL_KEY, KeptMessages } from './kept-messages.ts';
import type { CliRun } from './run-cli.ts';

const LIMIT_MS = 20_000;
const ALARM = /is low on memory and takes nothing: rabbitmqctl status/;
const SILENCE = /No broker can be reached \(127\.0\.0\.1:\d+: /;

/**
 * Each subcommand that uses the broker, and its exit code during an alarm. Subcommands that publish nothing
 * succeed.
 */
const SUBCOMMANDS: readonly (readonly [line: string, underAlarm: number])[] = [
  ['send session.create --data {"userId":"u-1"} --deadline-ms 2000', 3],
  ['report rake --day 2026-03-01 --deadline-ms 2000 --out FOLDER/rake.csv', 3],
  ['dead-letters list', 0],
  ['dead-letters show letter-0', 0],
  ['dead-letters redrive --all --yes', 3],
  ['dead-letters discard --id letter-1 --yes', 0],
  ['replies list', 0],
  ['replies show parked', 0],
  ['replies redeliver --all --yes', 3],
  ['replies discard --all --yes', 0],
];

describe('the command line with a broker', () => {
  const folder = folderForAll();
  let broker: Broker;
  const service = serviceForAll(async (stack) => {
    broker = stack.use(await startBroker());
    return { behaviour: healthy(), variables: { INTERNAL_KEY }, url: broker.url, workers: 1 };
  });
  const kept = new KeptMessages(service);
  beforeAll(async () => {
    const gone = { messageId: 'parked', replyTo: 'nobody-has-this-queue' };
    service.caller.publish('session.create', { userId: 'p-1' }, gone);
    await until('a reply is parked', async () => (await service.depth('replies.undelivered')) === 1, 30_000);
    await service.stop();
    await kept.put(0, 2);
  });

  const timed = async (line: string, url = broker.url): Promise<CliRun> => {
    const startedMs = performance.now();
    const run = await kept.run(line.replace('FOLDER', folder.path), { ...service.variables, AMQP_URL: url });
    expect(performance.now() - startedMs).toBeLessThan(LIMIT_MS);
    // No stack.
    expect(run.stderr).not.toMatch(/^ +at /m);
    return run;
  };

  it.each(SUBCOMMANDS)('that accepts connections and never answers: %s exits with 3', async (line) => {
    await using proxy = await TcpProxy.start(broker.url);
    proxy.stall();
    const { code, stderr } = await timed(line, proxy.through(broker.url));
    expect([code, stderr]).toEqual([3, expect.stringMatching(SILENCE)]);
  });

  it('that accepts connections and never answers: doctor reports it, or its own time limit', async () => {
    await using proxy = await TcpProxy.start(broker.url);
    proxy.stall();
    const url = proxy.through(broker.url);
    const { code, stdout } = await timed('doctor --json', url);
    expect([code, stdout]).toEqual([1, expect.stringMatching(SILENCE)]);
    const late = await timed('doctor --json --deadline-ms 2000', url);
    const message = 'not all checks ended within 2000 ms';
    expect([late.code, late.lines.at(-1)]).toMatchObject([1, { message }]);
  });

  describe('with a memory alarm', () => {
    beforeAll(() => broker.ctl('set_vm_memory_high_watermark', '0'));
    afterAll(() => broker.ctl('set_vm_memory_high_watermark', '0.6'));

    it.each(SUBCOMMANDS)('%s exits with %j', async (line, expected) => {
      const { code, stderr } = await timed(line);
      expect([code, stderr]).toEqual([expected, expected === 0 ? '' : expect.stringMatching(ALARM)]);
    });

    it('doctor reports the alarm, and checks the rest', async () => {
      const { code, stdout } = await timed('doctor --json');
      expect([code, stdout]).toEqual([1, expect.stringMatching(ALARM)]);
      expect(stdout).toContain('report.rake.fetch for one second is answered');
    });

    it('keeps all messages except the discarded ones', async () => {
      expect(await service.depth('dead-letters')).toBe(1);
      expect(await service.depth('replies.undelivered')).toBe(0);
    });
  });
});
