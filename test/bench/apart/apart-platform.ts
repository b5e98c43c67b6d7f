import { setTimeout as sleep } from 'node:timers/promises';

import { adHocAttributes, healthy, playerOf } from '../../support/platform-answers.ts';
import type { PlatformBehaviour, PlatformRequest } from '../../support/platform-stub.ts';

const ANSWER_MS = 20;
const RECORDS = 60_000;

/** A player whose session or game takes that long, or is never answered. */
export function playerThatTakes(answer: number | 'never', name: string): string {
  return `takes-${answer}-${name}`;
}

/** Answers each player after the time that his id names, by default 20 ms, and any report with 60,000 records. */
export const apartPlatform: PlatformBehaviour = async (request, response, socket) => {
  const player = playerOf(request);
  if (player === undefined) {
    response.writeHead(200, { 'content-type': 'application/vnd.api+json' }).end(reportPage(request));
    return;
  }
  const [, answer] = /^takes-(\d+|never)-/.exec(player) ?? [];
  if (answer === 'never') return;
  await sleep(answer === undefined ? ANSWER_MS : Number(answer));
  await healthy()(request, response, socket);
};

/** By their number: the records cost this process nothing, which measures the players meanwhile. */
const records = new Map<number, string>();

function reportPage({ url }: PlatformRequest): string {
  const page = Number(url.searchParams.get('page'));
  const perPage = Number(url.searchParams.get('per-page'));
  const data = records.get(perPage) ?? JSON.stringify(Array.from({ length: perPage }, recordOf));
  records.set(perPage, data);
  const meta = {
    'total-count': RECORDS,
    'page-count': Math.ceil(RECORDS / perPage),
    'current-page': page,
    'per-page': perPage,
  };
  return `{"data":${data},"meta":${JSON.stringify(meta)}}`;
}

function recordOf(_: unknown, index: number): object {
  const attributes = adHocAttributes(`player-${index}`, 1_000 * index);
  return { type: 'ad-hoc-report', id: String(index), attributes };
}
