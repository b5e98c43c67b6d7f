import type { ConsumeMessage } from 'amqplib';

import type { OutgoingMessage } from '#rabbitmq';
import { internalKeyOf } from '#settings';

import { InternalKeys, sealed } from '../../../libs/messaging/src/envelope/seal.ts';
import type { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import { type CliRun, outcomeOf, runCli, startCli } from './run-cli.ts';

export const INTERNAL_KEY = 'k'.repeat(32);
const REPORT = { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00' };
const FIRST_MS = Date.UTC(2026, 2, 1);

/** Seals the headers of a test's message, as a worker with the key does. */
export const sealWith =
  (key = INTERNAL_KEY) =>
  (copy: OutgoingMessage) =>
    sealed(copy, new InternalKeys(internalKeyOf(key, [])));

/** Members of a dead letter that differ from the default. */
export interface LetterFacts {
  readonly type?: string;
  readonly reason?: string;
  readonly caller?: string;
  readonly appId?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly key?: string;
}

/** Runs the command line on the dead letters and parked replies of a service. */
export class KeptMessages {
  readonly service: ServiceUnderTest;

  constructor(service: ServiceUnderTest) {
    this.service = service;
  }

  get variables(): Record<string, string> {
    return { AMQP_URL: this.service.url, AMQP_PREFIX: this.service.prefix, INTERNAL_KEY };
  }

  run(line: string, variables: Record<string, string> = {}): Promise<CliRun> {
    return runCli(line.split(' '), { variables: { ...this.variables, ...variables } });
  }

  /** Runs the program until it has printed this many lines, and sends it a signal. */
  interrupt(line: string, lines: number, signal: NodeJS.Signals): Promise<CliRun> {
    const child = startCli(line.split(' '), { variables: this.variables });
    let printed = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString().split('\n').length - 1;
      // A second signal would end the program at once.
      if (printed >= lines && !child.killed) child.kill(signal);
    });
    return outcomeOf(child);
  }

  /** Publishes dead letters as a worker does, with the ids `from` to `to`, one second apart. */
  async put(from: number, to: number, facts: LetterFacts = {}): Promise<void> {
    const {
      type = 'report.rake.fetch',
      reason = 'PLATFORM_UNAVAILABLE',
      caller,
      appId,
      body = REPORT,
    } = facts;
    const { channel } = this.service.caller;
    const queue = this.service.name('dead-letters');
    for (let n = from; n < to; n += 1) {
      const failedAtMs = FIRST_MS + n * 1_000;
      const copy = sealWith(facts.key)({
        exchange: '',
        routingKey: queue,
        content: Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)),
        mandatory: true,
        properties: {
          persistent: true,
          messageId: `letter-${n}`,
          correlationId: `letter-${n}`,
          replyTo: this.service.caller.replyQueue,
          type,
          ...(appId !== undefined && { appId }),
          timestamp: failedAtMs / 1_000,
          headers: {
            operator: 'default',
            'x-deadline': failedAtMs,
            'x-reason': reason,
            'x-failed-at': new Date(failedAtMs).toISOString(),
            'x-origin-queue': this.service.name('reports'),
            ...(caller !== undefined && { 'x-origin-user-id': caller }),
            ...facts.headers,
          },
        },
      });
      channel.sendToQueue(queue, copy.content, copy.properties);
    }
    const count = to - from;
    await until(
      `${count} letters are there`,
      async () => (await this.service.depth('dead-letters')) >= count,
    );
  }

  async take(queue: string, count: number): Promise<ConsumeMessage[]> {
    await until(`${count} are in ${queue}`, async () => (await this.service.depth(queue)) >= count);
    return this.service.caller.drain(this.service.name(queue));
  }
}

export function idsOf(messages: readonly ConsumeMessage[]): string[] {
  return messages.map(({ properties }) => String(properties.messageId));
}

/** The ids `from` to `to`. */
export function letters(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, n) => `letter-${from + n}`);
}
