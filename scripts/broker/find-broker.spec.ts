import { afterEach, expect, it, jest } from '@jest/globals';

import { brokerSources, findBroker } from './find-broker.ts';
import { chooseRelease } from './installation.ts';
import type { FoundBroker } from './start-broker.ts';

afterEach(() => void jest.restoreAllMocks());

it('brokers come from the places of the contract, in its order', () => {
  const PRIVATE = 'a private node of RabbitMQ 4';
  const LAST = 'an installed RabbitMQ 3';
  jest.replaceProperty(process, 'env', { RABBITMQ_RELEASE: '' });
  const named = (wishes: Parameters<typeof brokerSources>[0]) => Object.keys(brokerSources(wishes));
  expect(named({ amqpUrl: 'amqp://bus' })).toEqual(['AMQP_URL', PRIVATE, 'Docker', LAST]);
  for (const amqpUrl of [undefined, '']) expect(named({ amqpUrl })).toEqual([PRIVATE, 'Docker', LAST]);
  expect(named({ port: 5699 })).toEqual([PRIVATE, LAST]);
  chooseRelease('4.0');
  expect(named({ amqpUrl: 'amqp://bus' })).toEqual(['a private node of RabbitMQ 4.0']);
});

it('findBroker takes the first that works and says why others do not; at the end, what to install', async () => {
  const broker = { url: 'amqp://found' } as FoundBroker;
  const fails = () => Promise.reject(new Error('away'));
  const works = () => Promise.resolve(broker);
  const said = jest.spyOn(console, 'error').mockReturnValue();
  await expect(findBroker({ first: fails, second: works, third: fails })).resolves.toBe(broker);
  expect(said.mock.calls).toEqual([['poker-bridge: no broker from first: away']]);
  await expect(findBroker({ first: fails })).rejects.toThrow(
    'Install the package rabbitmq-server (4.0 or newer',
  );
});
