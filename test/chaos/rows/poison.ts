import { healthy, playerOf } from '../../support/platform-answers.ts';
import type { Row } from '../row.ts';

/** Its id, and that of its player. */
const POISON = 'poison';

export const poison: Row = {
  name: 'poison',
  title: 'a command that kills its worker each time',
  disturb: (stage) =>
    stage.times(1, async () => {
      stage.fault = async (request, response, socket) => {
        if (playerOf(request) !== POISON) return healthy(3)(request, response, socket);
        const number = Number(/worker-(\d+)/.exec(request.url.search)?.[1] ?? 0);
        stage.breaks(`the command kills worker ${number}`);
        await stage.workers.end(number, 'SIGKILL');
      };
      stage.ledger.sent(POISON, 'session.create', true);
      await stage.caller.publish('session.create', POISON, { userId: POISON });
      stage.ledger.delivered(POISON);
    }),
};
