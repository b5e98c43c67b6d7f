import { describe, expect, it } from '@jest/globals';

import type { BrokerSource, FoundBroker } from './broker-source.ts';
import { brokerSources, findBroker } from './find-broker.ts';

const names = (sources: readonly BrokerSource[]): string[] => sources.map(({ name }) => name);

describe('brokerSources', () => {
  it('are tried in the order of the contract', () => {
    expect(names(brokerSources({ amqpUrl: 'amqp://bus' }))).toEqual([
      'AMQP_URL',
      'an installed rabbitmq-server',
      'Docker',
      'Debian, unpacked',
      'the package rabbitmq-server of Debian or Ubuntu',
    ]);
  });

  it.each([undefined, ''])('hold no broker that nobody named (AMQP_URL is %p)', (amqpUrl) => {
    expect(names(brokerSources({ amqpUrl }))).not.toContain('AMQP_URL');
  });

  it('are private nodes if a port is asked for', () => {
    expect(names(brokerSources({ port: 5699 }))).not.toContain('Docker');
  });
});

describe('brokerSources of a release', () => {
  it('are that release alone', () => {
    expect(names(brokerSources({ amqpUrl: 'amqp://bus', release: '4.0' }))).toEqual(['RabbitMQ 4.0']);
  });
});

describe('findBroker', () => {
  const broker: FoundBroker = {
    url: 'amqp://found',
    origin: 'a test',
    ended: new Promise(() => undefined),
    stop: () => Promise.resolve(),
  };
  const works = (name: string): BrokerSource => ({ name, start: () => Promise.resolve(broker) });
  const fails = (name: string, reason: string): BrokerSource => ({
    name,
    start: () => Promise.reject(new Error(reason)),
  });
  const mustNotStart: BrokerSource = {
    name: 'later',
    start: () => {
      throw new Error('a later source was started');
    },
  };

  it('takes the first that works, and starts none after it', async () => {
    const told: string[] = [];
    const sources = [fails('first', 'away'), works('second'), mustNotStart];

    await expect(findBroker(sources, (reason) => told.push(reason))).resolves.toBe(broker);
    expect(told).toEqual(['first: away']);
  });

  it('says what to install if none works, and why each had none', async () => {
    const told: string[] = [];
    const sources = [fails('one', 'none is installed'), fails('two', 'no engine answers')];

    await expect(findBroker(sources, (reason) => told.push(reason))).rejects.toThrow(
      'Install the package rabbitmq-server',
    );
    expect(told).toEqual(['one: none is installed', 'two: no engine answers']);
  });
});
