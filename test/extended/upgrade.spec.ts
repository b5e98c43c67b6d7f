import { expect, it, jest } from '@jest/globals';

import { isSound, playRow } from '../chaos/play-row.ts';
import { resultLine } from '../chaos/report.ts';
import { upgradeRow } from '../chaos/upgrade/upgrade-row.ts';

jest.setTimeout(360_000);

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
  const result = await playRow(row, { commands: 800, perSecond: 50, seed: 1, onProgress: () => undefined });
  expect([resultLine(result), ...result.stories]).toEqual([
    expect.stringMatching(/^nothing lost: .* 0 calls again/),
  ]);
  expect(isSound(result)).toBe(true);
});
