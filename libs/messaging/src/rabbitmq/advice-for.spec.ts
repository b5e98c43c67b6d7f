import { describe, expect, it } from '@jest/globals';

import { adviceFor } from './advice-for.ts';
import { brokerReleaseOf } from './connection/broker-release.ts';

describe('adviceFor', () => {
  it('names the setting from RabbitMQ 4.3 on', () => {
    expect(adviceFor(brokerReleaseOf('4.3.6'))).toMatch(/^RabbitMQ 4\.3\.6 .* consumer-disconnected-timeout/);
    expect(adviceFor(brokerReleaseOf('4.0.5'))).toBeUndefined();
  });
});
