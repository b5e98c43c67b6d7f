import { expect, it, jest } from '@jest/globals';

import { isSound, playRow } from '../../lab/chaos/play-row.ts';
import { resultLine } from '../../lab/chaos/report.ts';
import type { Row } from '../../lab/chaos/rows/row.ts';
import { ROWS } from '../../lab/chaos/rows/rows.ts';
import { upgradeRow } from '../../lab/chaos/upgrade/upgrade-row.ts';

jest.setTimeout(360_000);

/** Rows that take seconds; `npm run chaos` plays all. */
const SHORT = new Set(['worker-kill', 'tcp-cuts', 'forced-closes', 'redis-kill', 'platform-resets']);

/** Plays a row in short. @returns its figures; also its stories, if it is not sound */
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

/** Both generations are this build; `npm run upgrade -- --from COMMIT` takes an older one. */
it('workers with other settings, other retry queues among them, replace those under load, and lose nothing', async () => {
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
