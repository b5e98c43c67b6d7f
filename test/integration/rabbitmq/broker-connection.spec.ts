import { describe, expect, it } from '@jest/globals';

import {
  BrokerConnection,
  type ConnectionState,
} from '../../../libs/rabbitmq/src/connection/broker-connection.ts';
import { testBrokerUrl } from '../../support/broker.ts';
import { until } from '../../support/until.ts';

describe('a connection to the broker', () => {
  it('is reopened if the broker does not answer its set-up', async () => {
    const states: ConnectionState[] = [];
    let setUps = 0;
    const connection = new BrokerConnection({
      urls: [testBrokerUrl()],
      name: 'set-up',
      setUp: () => ((setUps += 1) === 1 ? new Promise(() => undefined) : Promise.resolve()),
      setUpTimeoutMs: 100,
      onState: (state) => states.push(state),
      random: () => 0,
    });
    connection.open();
    await until('it is open', () => connection.state.kind === 'open');
    expect(states).toEqual([
      { kind: 'connecting', reason: 'the set-up was not answered in time' },
      { kind: 'open' },
    ]);
    await connection.close();
  });
});
