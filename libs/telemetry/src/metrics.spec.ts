import { describe, expect, it } from '@jest/globals';

import { Metrics } from './metrics.ts';

describe('Metrics', () => {
  it('shows what has no label as 0 before anything has happened', async () => {
    const text = await new Metrics().registry.metrics();
    const names = 'platform_retries replays dead_letters replies_undelivered replies_forwarded'.split(' ');
    for (const name of names) expect(text).toContain(`\npoker_${name}_total 0\n`);
    expect(text).toContain('\npoker_broker_connected 0\n');
    expect(text).toContain('\nnodejs_eventloop_lag_seconds');
  });
});
