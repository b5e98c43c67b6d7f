import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { healthy, playerOf } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { Supervisor } from '../../support/worker-process.ts';
import { type InteractiveLoad, interactiveLoad } from '../../support/interactive-load.ts';

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
