import { afterEach, expect, it, jest } from '@jest/globals';

import { type BrokerSource, brokerSources, findBroker } from './find-broker.ts';
import { chooseRelease } from './installation.ts';
import type { FoundBroker } from './start-broker.ts';

const names = (sources: readonly BrokerSource[]): string[] => sources.map(({ name }) => name);

afterEach(() => void jest.restoreAllMocks());

it('brokers come from the places of the contract, in its order', () => {
  const PRIVATE = 'a private node of RabbitMQ 4';
  const LAST = 'an installed RabbitMQ 3';
  jest.replaceProperty(process, 'env', { RABBITMQ_RELEASE: '' });
  expect(names(brokerSources({ amqpUrl: 'amqp://bus' }))).toEqual(['AMQP_URL', PRIVATE, 'Docker', LAST]);
  for (const amqpUrl of [undefined, ''])
    expect(names(brokerSources({ amqpUrl }))).toEqual([PRIVATE, 'Docker', LAST]);
  expect(names(brokerSources({ port: 5699 }))).toEqual([PRIVATE, LAST]);
  chooseRelease('4.0');
  expect(names(brokerSources({ amqpUrl: 'amqp://bus' }))).toEqual(['a private node of RabbitMQ 4.0']);
});

it('findBroker takes the first that works and says why others do not; at the end, what to install', async () => {
  const broker = { url: 'amqp://found' } as FoundBroker;
  const fails: BrokerSource = { name: 'first', start: () => Promise.reject(new Error('away')) };
  const works: BrokerSource = { name: 'second', start: () => Promise.resolve(broker) };
  const said = jest.spyOn(console, 'error').mockReturnValue();
  await expect(findBroker([fails, works, fails])).resolves.toBe(broker);
  expect(said.mock.calls).toEqual([['poker-bridge: no broker from first: away']]);
  await expect(findBroker([fails])).rejects.toThrow('Install the package rabbitmq-server (4.0 or newer');
});
