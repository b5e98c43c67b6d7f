import { fileURLToPath } from 'node:url';

import type { Row } from '../row.ts';

const SHIFTED = fileURLToPath(new URL('../stage/shifted-clock.mjs', import.meta.url));

export const clockForward: Row = {
  name: 'clock-forward',
  title: 'the clock of one worker set forward by an hour',
  wishes: {
    variablesOf: (number) => (number === 0 ? { NODE_OPTIONS: `--import=${SHIFTED}` } : {}),
  },
  isOurs: true,
  disturb: (stage) =>
    stage.times(1, async () => {
      stage.workers.signal(0, 'SIGUSR2');
      stage.mends('the clock of worker 0 is set forward');
    }),
};
