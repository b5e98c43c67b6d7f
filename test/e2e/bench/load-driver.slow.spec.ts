import { readFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Channel, ConsumeMessage } from 'amqplib';

import { WORKER } from '../../../scripts/build/programs.ts';
import { type Contestant, CONTESTANTS, type RunningWorker } from '../../bench/contestants.ts';
import { LoadDriver } from '../../bench/driver/load-driver.ts';
import { isFaultless, type Tally } from '../../bench/driver/workload.ts';
import { type BenchPlatform, createWorkplace, startPlatform, type Workplace } from '../../bench/stage.ts';
import { openConnection, testBrokerUrl, uniquePrefix } from '../../support/broker.ts';
import { sessionOf } from '../../support/platform-stub.ts';
import { queueSpeech } from '../../support/speech.ts';

const LATENCY_MS = 20;
const NO_FAULT = { wrong: 0, double: 0, stray: 0, missing: 0 };

describe('the load driver and the workers of the bench', () => {
  let workplace: Workplace;
  let platform: BenchPlatform;
  const start = (contestant: Contestant): Promise<RunningWorker> =>
    contestant.start({ workplace, amqpUrl: testBrokerUrl(), platform: platform.variables, prefetch: 100 });

  beforeAll(async () => {
    workplace = await createWorkplace();
    platform = await startPlatform(LATENCY_MS);
  });

  afterAll(async () => {
    await platform[Symbol.asyncDispose]();
    await workplace[Symbol.asyncDispose]();
  });

  it.each(['bare-classic', 'nest-quorum', 'rabbitmq-client-classic', 'ours'])(
    '%s answers every command correctly and once, on a Node.js like that of a worker',
    async (name) => {
      const contestant = CONTESTANTS.find((one) => one.name === name)!;
      await using worker = await start(contestant);
      await using driver = await LoadDriver.open({ url: testBrokerUrl(), speech: worker.speech });
      const closed = await driver.closedLoop({ inFlight: 50, commands: 200 });
      const open = await driver.openLoop({ perSecond: 100, forMs: 500 });
      expect(closed).toMatchObject({ commands: 200, latenciesMs: { length: 200 } });
      expect(open).toMatchObject({ commands: 50, latenciesMs: { length: 50 } });
      expect(Math.min(...closed.latenciesMs, ...open.latenciesMs)).toBeGreaterThanOrEqual(LATENCY_MS - 1);
      expect(await driver.settle()).toEqual({ sent: 250, right: 250, ...NO_FAULT });
      const ofProcess = (what: 'cmdline' | 'environ'): string[] =>
        readFileSync(`/proc/${worker.pid}/${what}`, 'utf8').split('\0');
      expect(ofProcess('cmdline').slice(1, WORKER.flags.length + 1)).toEqual(WORKER.flags);
      for (const [variable, value] of Object.entries(WORKER.environment))
        expect(ofProcess('environ')).toContain(`${variable}=${value}`);
    },
    40_000,
  );

  it('has a platform that accepts no wrong signature', async () => {
    const url = `${platform.variables['PLATFORM_BASE_URL']}/v2/app/users/alice/session?clientId=bench`;
    const body = new URLSearchParams({ userId: 'alice' });
    const { status } = await fetch(url, { method: 'POST', body, headers: { sign: '0'.repeat(64) } });
    expect(status).toBe(400);
  });
});

describe('the load driver and a worker that fails', () => {
  it('counts a duplicate answer', async () => {
    const tally = await tallyOf((command, answer) => {
      answer(command);
      if (isNumber(command, 3)) answer(command);
    });
    expect(tally).toEqual({ sent: 20, right: 20, ...NO_FAULT, double: 1 });
  });

  it('counts a missing answer', async () => {
    const tally = await tallyOf((command, answer) => {
      if (!isNumber(command, 3)) answer(command);
    });
    expect(tally).toEqual({ sent: 20, right: 19, ...NO_FAULT, missing: 1 });
  });

  it('counts answers that were swapped', async () => {
    const held: ConsumeMessage[] = [];
    const tally = await tallyOf((command, answer) => {
      if (!isNumber(command, 3) && !isNumber(command, 4)) return answer(command);
      const [other] = held;
      held.push(command);
      if (other === undefined) return;
      answer(other, command);
      answer(command, other);
    });
    expect(tally).toEqual({ sent: 20, right: 18, ...NO_FAULT, wrong: 2 });
  });

  it('counts a stray answer', async () => {
    const tally = await tallyOf((command, answer) => {
      answer(command);
      if (!isNumber(command, 3)) return;
      command.properties.correlationId = 'another-3';
      answer(command);
    });
    expect(tally).toEqual({ sent: 20, right: 20, ...NO_FAULT, stray: 1 });
  });

  it('counts an error as wrong', async () => {
    const tally = await tallyOf((command, answer) => {
      if (isNumber(command, 3)) command.content = Buffer.from('{"userId":"nobody"}');
      answer(command);
    });
    expect(tally).toEqual({ sent: 20, right: 19, ...NO_FAULT, wrong: 1 });
  });
});

/** @param to selects the command whose answer is sent; default: the command itself */
type Answer = (command: ConsumeMessage, to?: ConsumeMessage) => void;

/** The driver's result for 20 commands that a worker of this test consumes. */
async function tallyOf(take: (command: ConsumeMessage, answer: Answer) => void): Promise<Tally> {
  const url = testBrokerUrl();
  const queue = uniquePrefix();
  const { connection } = await openConnection(url);
  const channel = await connection.createChannel();
  await channel.assertQueue(queue, { exclusive: true });
  const consume = (command: ConsumeMessage | null) => command && take(command, answerOn(channel));
  await channel.consume(queue, consume, { noAck: true });
  try {
    await using driver = await LoadDriver.open({ url, speech: queueSpeech(queue), patienceMs: 3_000 });
    await driver.closedLoop({ inFlight: 10, commands: 20 });
    const tally = await driver.settle();
    expect(isFaultless(tally)).toBe(false);
    return tally;
  } finally {
    await connection.close();
  }
}

function answerOn(channel: Channel): Answer {
  return (command, to = command) => {
    const { userId } = JSON.parse(to.content.toString()) as { userId: string };
    const session = sessionOf(userId);
    const answer = {
      userId,
      sessionId: session['session-id'],
      auth: session.auth,
      redirectUrl: session['redirect-url'],
    };
    const { replyTo, correlationId } = command.properties as { replyTo: string; correlationId: string };
    channel.sendToQueue(replyTo, Buffer.from(JSON.stringify(answer)), { correlationId });
  };
}

function isNumber({ properties }: ConsumeMessage, sequence: number): boolean {
  return String(properties.correlationId).endsWith(`-${sequence}`);
}
