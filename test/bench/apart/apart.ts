import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { type InteractiveLoad, interactiveLoad, type SendNumbered } from '../../support/interactive-load.ts';
import { healthy, playerOf } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { Supervisor } from '../../support/supervisor.ts';
import { apartPlatform, ILL_OPERATORS, playerThatTakes, type Trouble } from './troubles.ts';

/** One row of the table: what somebody does, beside whom everybody else is measured. */
export interface Row {
  readonly title: string;
  readonly trouble: Trouble;
  readonly variables?: Readonly<Record<string, string>>;
  /** Whether everybody else is many operators; by default they are one. */
  readonly isManyOperators?: boolean;
}

/** What everybody else sees, without the trouble and with it. */
export interface Beside {
  readonly alone: InteractiveLoad;
  readonly beside: InteractiveLoad;
}

const OPERATORS = 1_000;
const WARM_MS = 5_000;
/** A worker's own defaults, which tests lengthen. */
export const APART_DEFAULTS = { INTERACTIVE_DEADLINE_MS: '15000', PLATFORM_ATTEMPT_TIMEOUT_MS: '5000' };

export interface ApartOptions {
  /** Of the broker. */
  readonly url: string;
  /** Of everybody else. */
  readonly ratePerSecond: number;
  readonly aloneMs: number;
  readonly besideMs: number;
}

/** Measures everybody else on a worker of its own, alone first. */
export async function measureRow(row: Row, options: ApartOptions): Promise<Beside> {
  const { ratePerSecond, aloneMs, besideMs } = options;
  await using parts = new AsyncDisposableStack();
  const service = parts.use(await startService(options.url, row.variables));
  const send = row.isManyOperators ? fromManyOperators(service) : fromOne(service);
  await interactiveLoad(send, ratePerSecond, WARM_MS);
  const alone = await interactiveLoad(send, ratePerSecond, aloneMs);
  const ending = new AbortController();
  parts.defer(() => ending.abort());
  await row.trouble(service, ending.signal);
  return { alone, beside: await interactiveLoad(send, ratePerSecond, besideMs) };
}

/** A platform that takes its time for everybody, and a worker that keeps up or does not. */
export async function measureSlowPlatform(
  url: string,
  answerMs: number,
  ratePerSecond: number,
  forMs: number,
): Promise<InteractiveLoad> {
  await using service = await startService(url);
  const send = (): ReturnType<SendNumbered> =>
    service.caller.send('session.create', { userId: playerThatTakes(answerMs, randomUUID()) });
  return await interactiveLoad(send, ratePerSecond, forMs);
}

/** All at once, from a caller of one operator. */
export async function measureBurst(url: string, commands: number): Promise<InteractiveLoad> {
  await using service = await startService(url);
  // The first second of a process is another matter.
  await interactiveLoad(fromOne(service), 100, WARM_MS);
  return await interactiveLoad(fromOne(service), commands * 1_000, 1);
}

const fromOne =
  ({ caller }: ServiceUnderTest): SendNumbered =>
  () =>
    caller.send('session.create', { userId: randomUUID() });

/** Those that are well, in turn. */
const fromManyOperators =
  ({ caller }: ServiceUnderTest): SendNumbered =>
  (index) => {
    const operator = `operator-${1 + ILL_OPERATORS + (index % (OPERATORS - ILL_OPERATORS - 1))}`;
    return caller.send('session.create', { userId: randomUUID() }, { headers: { operator } });
  };

/** With the defaults of a worker, and a thousand operators on one platform. */
async function startService(
  url: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<ServiceUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'apart-'));
  try {
    const file = join(folder, 'operators.json');
    const names = Array.from({ length: OPERATORS - 1 }, (_, index) => `operator-${index + 1}`);
    const entries = names.map((name) => [name, { clientId: name, secretKey: 'test_secret_key' }]);
    writeFileSync(file, JSON.stringify(Object.fromEntries(entries)));
    const service = await ServiceUnderTest.start({
      behaviour: apartPlatform,
      variables: { ...APART_DEFAULTS, OPERATORS_FILE: file, ...variables },
      url,
    });
    await service.worker();
    return service;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const ANSWER_MS = 20;
const POISON = 'poison';

export interface PoisonOptions {
  /** Of the broker. */
  readonly url: string;
  /** Sent with a command that kills its worker as soon as it calls the platform, half of them before it. */
  readonly neighbours: number;
  /** Of the worker, which has its defaults. */
  readonly variables: Readonly<Record<string, string>>;
}

/** What the neighbours of a command see that kills its worker, which is restarted each time. */
export async function measurePoison({ url, neighbours, variables }: PoisonOptions): Promise<InteractiveLoad> {
  await using parts = new AsyncDisposableStack();
  const service: ServiceUnderTest = parts.use(
    await ServiceUnderTest.start({
      behaviour: async (request, response, socket) => {
        if (playerOf(request) === POISON) {
          supervisor.worker.kill('SIGKILL');
          return;
        }
        await sleep(ANSWER_MS);
        await healthy()(request, response, socket);
      },
      variables,
      url,
    }),
  );
  const supervisor = new Supervisor(() => service.start());
  parts.defer(() => supervisor.stop());
  await supervisor.worker.ready();
  const send = (index: number): ReturnType<typeof service.caller.send> => {
    if (index === neighbours / 2) service.caller.publish('session.create', { userId: POISON });
    return service.caller.send('session.create', { userId: randomUUID() });
  };
  return await interactiveLoad(send, neighbours * 1_000, 1);
}
