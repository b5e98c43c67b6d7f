import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { silent } from '../support/platform-answers.ts';
import { ServiceUnderTest } from '../support/service-under-test.ts';
import { until } from '../support/until.ts';
import type { WorkerProcess } from '../support/worker-process.ts';

/** For closing what is left when nothing is in flight any more. */
const CLOSING_MS = 2_500;
/** Each close has its own timeout: of the consumers, of their channels, of both connections. */
const CLOSING_IN_VAIN_MS = 12_000;

/** That it stops, and what happens to the commands in flight, is tested by test/e2e/lifecycle. */
describe('a worker that is stopped', () => {
  let service: ServiceUnderTest;
  beforeEach(async () => {
    service = await ServiceUnderTest.start({ behaviour: silent });
  });
  afterEach(() => service[Symbol.asyncDispose]());

  /** From the signal to the end of the process. */
  const stopMs = async (worker: WorkerProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<number> => {
    const toldAtMs = performance.now();
    worker.kill(signal);
    await worker.ended();
    return performance.now() - toldAtMs;
  };
  const holdsOne = async (): Promise<void> => {
    service.caller.publish('session.create', { userId: 'p-1' });
    await until('it is in flight', () => service.platform.requests.length === 1);
  };

  it('exits at once if nothing is in flight', async () => {
    expect(await stopMs(await service.worker())).toBeLessThan(CLOSING_MS);
  });

  it('exits soon after the grace', async () => {
    const worker = await service.worker({ SHUTDOWN_GRACE_MS: '3000' });
    await holdsOne();
    expect(await stopMs(worker)).toBeLessThan(3_000 + CLOSING_MS);
  });

  it('exits soon after the grace if the broker is gone', async () => {
    const worker = await service.worker({ SHUTDOWN_GRACE_MS: '1000' });
    await holdsOne();
    service.proxy.refuse();
    service.proxy.cut();
    expect(await stopMs(worker)).toBeLessThan(1_000 + CLOSING_MS);
    await service.proxy.open();
  });

  it('exits some time after the grace if the broker no longer answers', async () => {
    const worker = await service.worker({ SHUTDOWN_GRACE_MS: '500' });
    service.proxy.stall();
    expect(await stopMs(worker)).toBeLessThan(500 + CLOSING_IN_VAIN_MS);
    service.proxy.resume();
  });

  it('exits within a second of a second signal', async () => {
    const worker = await service.worker();
    await holdsOne();
    worker.kill('SIGTERM');
    await until('it stops', async () => (await worker.get('/health/ready')).status === 503);
    expect(await stopMs(worker)).toBeLessThan(1_000);
  });

  it.each([
    ['is away', () => service.proxy.refuse()],
    ['accepts and says nothing', () => service.proxy.stall()],
  ])('exits at once while its first broker %s', async (_, hinder) => {
    hinder();
    const worker = service.start();
    await worker.url();
    expect(await stopMs(worker)).toBeLessThan(4_000);
    service.proxy.resume();
    if (!service.proxy.isOpen) await service.proxy.open();
  });
});
