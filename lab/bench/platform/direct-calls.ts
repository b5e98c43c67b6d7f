import { text } from 'node:stream/consumers';

import { request } from 'undici';

import { atRate } from '../../../test/support/interactive-load.ts';
import { median } from '../measure.ts';
import type { Surroundings } from '../stage.ts';

const FOR_MS = 10_000;

/**
 * Calls the platform at a steady rate without a worker in between.
 *
 * @returns the median latency in milliseconds, which includes the time of Node.js and of this machine
 */
export async function platformTimeMs({ platform }: Surroundings, perSecond: number): Promise<number> {
  const call = async (index: number, dueMs: number): Promise<number> => {
    const url = `${platform['PLATFORM_BASE_URL']}/v2/app/users/player-${index}/session?clientId=bench`;
    const { body } = await request(url, { method: 'POST', body: `userId=player-${index}` });
    await text(body);
    return performance.now() - dueMs;
  };
  const calls: Promise<number>[] = [];
  const isOver = (index: number): boolean => index * 1_000 >= perSecond * FOR_MS;
  await atRate(perSecond, isOver, (index, dueMs) => calls.push(call(index, dueMs)));
  return median(await Promise.all(calls));
}
