import { describe, expect, it, jest } from '@jest/globals';

import { isSound, playRow } from '../chaos/play-row.ts';
import { resultLine } from '../chaos/report.ts';
import { ROWS } from '../chaos/rows/rows.ts';

jest.setTimeout(360_000);

/** Rows that take seconds; `npm run chaos` plays all. */
const SHORT = new Set(['worker-kill', 'tcp-cuts', 'forced-closes', 'redis-kill', 'platform-resets']);

/** Rows of `npm run chaos` in short, on the RabbitMQ of this run. */
describe('two workers under load lose nothing', () => {
  it.each(ROWS.filter(({ name }) => SHORT.has(name)))('$name: $title', async (row) => {
    const result = await playRow(row, {
      commands: 400,
      perSecond: 50,
      seed: 1,
      onProgress: () => undefined,
    });
    expect([resultLine(result), ...result.stories, isSound(result)].slice(isSound(result) ? -1 : 0)).toEqual([
      true,
    ]);
  });
});
