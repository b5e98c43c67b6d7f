import { randomUUID } from 'node:crypto';

import { afterEach } from '@jest/globals';

import { type BusReply, type Caller, type CallerOptions, createCaller } from '#caller';

import { openConnection, uniquePrefix } from '../../support/broker.ts';
import type { ServiceUnderTest } from '../../support/service-under-test.ts';
import { startForAll } from '../../support/suite-service.ts';
import { startSandboxedService } from '../commands/sandboxed-service.ts';

/** Caller options; an `instance` of `undefined` opens a caller without an instance. */
type Options = Partial<Omit<CallerOptions, 'instance'>> & { readonly instance?: string | undefined };

/** A deadline longer than any wait, so that a call ends only by the event that its test is about. */
export const PATIENT = { deadlineMs: 600_000 };
export const DAY = { dateFrom: '2026-01-02 00:00:00', dateTo: '2026-01-03 00:00:00' };

/** Opens the callers of a suite; at its end, closes them and deletes their reply queues. */
export function openCallers({ url, prefix }: Pick<ServiceUnderTest, 'url' | 'prefix'>) {
  const opened: Caller[] = [];
  const defaults = { url, prefix, name: uniquePrefix() };
  /** Opens a caller, by default with its own reply queue. */
  const open = (options: Options = {}): Caller => {
    const { instance, ...rest } = { ...defaults, instance: randomUUID(), ...options };
    const caller = createCaller(instance === undefined ? rest : { ...rest, instance });
    opened.push(caller);
    return caller;
  };
  return {
    open,
    /** Opens a caller that collects the replies that no call awaits. */
    collecting(options: Options = {}): { inbox: Caller; replies: BusReply[] } {
      const replies: BusReply[] = [];
      return { inbox: open({ ...options, onReply: (reply) => void replies.push(reply) }), replies };
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await Promise.all(opened.map((caller) => caller.close()));
      await using bus = await openConnection(url);
      // A caller that never connected has no reply queue.
      await Promise.allSettled(opened.map(async ({ replyQueue }) => bus.channel.deleteQueue(replyQueue)));
    },
  };
}

/** Starts a worker, a sandbox and a caller that sends its user id, for the duration of a suite. */
export function callersForAll(sandbox: Readonly<Record<string, string>> = {}) {
  const suite = {} as Awaited<ReturnType<typeof startCallers>>;
  startForAll(sandbox, async (variables) => Object.assign(suite, await startCallers(variables)));
  afterEach(() => suite.platform.clearFaults());
  return suite;
}

async function startCallers(sandbox: Readonly<Record<string, string>> = {}) {
  const worker = { PLATFORM_MAX_ATTEMPTS: '1', CURRENCY_PRECISIONS: 'EUR=2,USD=4,BTC=8' };
  await using stack = new AsyncDisposableStack();
  const { service, platform } = stack.use(await startSandboxedService({ sandbox, worker }));
  const bus = stack.use(await openConnection());
  const callers = stack.use(openCallers(service));
  const caller = callers.open({ sendUserId: true });
  const stop = stack.move();
  return { service, platform, bus, callers, caller, [Symbol.asyncDispose]: () => stop.disposeAsync() };
}
