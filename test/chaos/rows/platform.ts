import { setTimeout as sleep } from 'node:timers/promises';

import { silent, unavailable } from '../../support/platform-answers.ts';
import type { PlatformBehaviour } from '../../support/platform-stub.ts';
import type { Row } from '../row.ts';
import type { ChaosStage } from '../stage/chaos-stage.ts';

const HANGING_MS = 10_000;
const DOWN_MS = 60_000;

/** The call is done, and its answer never arrives. */
const resets: PlatformBehaviour = (_request, _response, socket) => void socket.resetAndDestroy();

async function during(stage: ChaosStage, ms: number, what: string, fault: PlatformBehaviour): Promise<void> {
  stage.breaks(what);
  stage.fault = fault;
  await sleep(ms);
  stage.fault = undefined;
  stage.mends('the platform answers again');
}

export const platformResets: Row = {
  name: 'platform-resets',
  title: 'the platform resets connections after it has done the call, for 2 s',
  disturb: (stage) => stage.times(1, () => during(stage, 2_000, 'the platform resets', resets)),
};

export const platformHangs: Row = {
  name: 'platform-hangs',
  title: 'the platform does not answer for 10 s',
  disturb: (stage) => stage.times(1, () => during(stage, HANGING_MS, 'the platform hangs', silent)),
};

export const platformDown: Row = {
  name: 'platform-503',
  title: 'the platform answers 503 for a minute',
  disturb: (stage) => stage.times(1, () => during(stage, DOWN_MS, 'the platform answers 503', unavailable)),
};
