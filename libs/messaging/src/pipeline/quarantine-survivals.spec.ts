import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { copiedCommandOf } from '../command/command.fixture.ts';
import type { Settlement } from '../command/settlement.ts';
import { BUS_OF_SPEC } from '../envelope/bus.fixture.ts';
import { Quarantine } from './quarantine.ts';

const BUS = { ...BUS_OF_SPEC, nowMs: () => Date.now(), clock: () => performance.now() };
/** No process reports that it survived the loss of its connection. */
const NOBODY = { report: () => Promise.resolve(), isReported: () => Promise.resolve(false) };
const QUEUE = 'poker.quarantine';

beforeEach(() => void jest.useFakeTimers({ now: BUS_OF_SPEC.nowMs() }));
afterEach(() => void jest.useRealTimers());

describe('Quarantine, if a worker loses its connection', () => {
  it.each([
    ['again if the process of its last start reports that it is alive', true, 'move'],
    ['no more if that process does not report', false, 'POISON_COMMAND'],
  ])('starts a command that has reached DELIVERY_LIMIT %s', async (_, isReported, expected) => {
    const asked: string[] = [];
    const isReportedFor = (start: string) => Promise.resolve(asked.push(start) > 0 && isReported);
    const quarantine = new Quarantine(BUS, { ...NOBODY, isReported: isReportedFor });
    const counted = { 'x-quarantine-level': 2, 'x-quarantine-starts': 1, 'x-quarantine-started-at': 7 };
    const lost = copiedCommandOf({ queue: QUEUE, redelivered: true, headers: counted });
    const judged = quarantine.admit(lost) as Promise<Settlement & { kind: 'move' }>;
    const settled = judged.then(
      ({ kind, copy }) => [kind, copy.headers?.['x-quarantine-starts']],
      (error: { code: string }) => [error.code],
    );
    await jest.advanceTimersByTimeAsync(300);
    expect(await settled).toEqual(isReported ? [expected, 1] : [expected]);
    expect(asked).toEqual(['m-1 7']);
  });

  it('starts nothing while the last process of a command may report that it is alive', async () => {
    const reported = Promise.withResolvers<boolean>();
    const quarantine = new Quarantine(BUS, { ...NOBODY, isReported: () => reported.promise });
    const log: string[] = [];
    const admit = (messageId: string, redelivered: boolean, more: object) => {
      const headers = { 'x-quarantine-level': 1, 'x-quarantine-cuts': 3, 'x-quarantine-starts': 1, ...more };
      const command = copiedCommandOf({ queue: QUEUE, redelivered, properties: { messageId }, headers });
      (quarantine.admit(command) as Promise<Settlement>).then(
        ({ kind }) => log.push(`${messageId}: ${kind}`),
        ({ code }: { code: string }) => log.push(`${messageId}: ${code}`),
      );
    };
    admit('killer', true, { 'x-quarantine-started-at': 7 });
    admit('its copy', false, {});
    await jest.advanceTimersByTimeAsync(5_000);
    expect(log).toEqual([]);
    reported.resolve(false);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(log).toEqual(['killer: POISON_COMMAND', 'its copy: move']);
  });

  it('reports the starts whose connection was lost, after the reconnect, and no others', async () => {
    const reported: string[] = [];
    let isLost = true;
    const report = async (start: string) => {
      if (isLost) throw new Error('the connection was lost again');
      reported.push(start);
    };
    const quarantine = new Quarantine(BUS, { ...NOBODY, report });
    const start = (messageId: string) => {
      const headers = { 'x-quarantine-level': 0, 'x-quarantine-started-at': 1 };
      const command = copiedCommandOf({ queue: QUEUE, properties: { messageId }, headers });
      expect(quarantine.admit(command)).toBeUndefined();
      return command;
    };
    const [lost, ended, kept] = [start('lost'), start('lost and ended'), start('kept')];
    for (const { delivery } of [lost, ended]) (delivery as unknown as { lose: () => void }).lose();
    ended.end({ kind: 'return', cause: undefined });
    quarantine.connected();
    await jest.advanceTimersByTimeAsync(0);
    isLost = false;
    quarantine.connected();
    expect(reported.toSorted()).toEqual(['lost 1', 'lost and ended 1']);
    kept.end({ kind: 'return', cause: undefined });
    quarantine.connected();
    expect(reported).not.toContain('kept 1');
  });

  it('runs a redelivered start of its own, unless another process had it in between', async () => {
    const quarantine = new Quarantine(BUS, NOBODY);
    const delivered = (times: number) =>
      quarantine.admit(
        copiedCommandOf({
          queue: QUEUE,
          redelivered: times > 0,
          headers: { 'x-quarantine-level': 2, 'x-quarantine-started-at': 1, 'x-delivery-count': times },
        }),
      );
    for (let times = 0; times < 8; times += 1) expect(delivered(times)).toBeUndefined();
    const counted = delivered(9) as Promise<Settlement & { kind: 'move' }>;
    await jest.advanceTimersByTimeAsync(300);
    expect((await counted).copy.headers).toMatchObject({ 'x-quarantine-starts': 1, 'x-quarantine-cuts': 1 });
  });
});
