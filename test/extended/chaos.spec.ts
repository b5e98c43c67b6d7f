import { expect, it, jest } from '@jest/globals';

import { isSound, playRow } from '../../lab/chaos/play-row.ts';
import { resultLine } from '../../lab/chaos/report.ts';
import type { Row } from '../../lab/chaos/rows/row.ts';
import { ROWS } from '../../lab/chaos/rows/rows.ts';
import { upgradeRow } from '../../lab/chaos/upgrade/upgrade-row.ts';

jest.setTimeout(360_000);

/** Scenarios that take seconds; `npm run chaos` runs all of them. */
const SHORT = new Set(['worker-kill', 'tcp-cuts', 'forced-closes', 'redis-kill', 'platform-resets']);

/** Runs a short version of a scenario. @returns the figures, with the history of each fault if it failed */
async function play(row: Row, commands: number): Promise<readonly string[]> {
  const result = await playRow(row, { commands, perSecond: 50, seed: 1, onProgress: () => undefined });
  return [resultLine(result), ...(isSound(result) ? [] : result.stories)];
}

it.each(ROWS.filter(({ name }) => SHORT.has(name)))(
  'two workers under load lose nothing: $name: $title',
  async (row) => {
    expect(await play(row, 400)).toEqual([expect.stringMatching(/^nothing lost: /)]);
  },
);

/** Old and new workers are the same build; `npm run upgrade -- --from COMMIT` starts from an older one. */
it('workers with other settings, such as retry queues, replace old ones under load without a loss', async () => {
  const row = upgradeRow({
    old: { variables: { REPORTS_RETRY_DELAYS_MS: '1000,2000' } },
    new: {
      variables: {
        REPORTS_RETRY_DELAYS_MS: '2000,4000',
        INTERACTIVE_PREFETCH: '1024',
        DELIVERY_LIMIT: '3',
        EVENTS: 'all',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      },
    },
  });
  expect(await play(row, 800)).toEqual([expect.stringMatching(/^nothing lost: .* 0 calls again/)]);
});
