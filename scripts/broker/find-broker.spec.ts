import { describe, expect, it } from '@jest/globals';

import { composeUrl } from './compose-broker.ts';
import { type BrokerSource, brokerSources, findBroker } from './find-broker.ts';
import type { FoundBroker } from './start-broker.ts';

const names = (sources: readonly BrokerSource[]): string[] => sources.map(({ name }) => name);

it('brokers come from the places of the contract, in its order', () => {
  const PRIVATE = 'a private node of RabbitMQ 4';
  const LAST = 'an installed RabbitMQ 3';
  expect(names(brokerSources({ amqpUrl: 'amqp://bus' }))).toEqual(['AMQP_URL', PRIVATE, 'Docker', LAST]);
  for (const amqpUrl of [undefined, ''])
    expect(names(brokerSources({ amqpUrl }))).toEqual([PRIVATE, 'Docker', LAST]);
  expect(names(brokerSources({ port: 5699 }))).toEqual([PRIVATE, LAST]);
  expect(names(brokerSources({ release: '4.0' }))).toEqual(['a private node of RabbitMQ 4.0']);
});

it('findBroker takes the first that works and says why others do not; at the end, what to install', async () => {
  const broker: FoundBroker = {
    url: 'amqp://found',
    origin: 'a test',
    ended: new Promise(() => undefined),
    stop: () => Promise.resolve(),
  };
  const fails: BrokerSource = { name: 'first', start: () => Promise.reject(new Error('away')) };
  const works: BrokerSource = { name: 'second', start: () => Promise.resolve(broker) };
  const told: string[] = [];
  const tell = (line: string) => void told.push(line);
  await expect(findBroker([fails, works, fails], tell)).resolves.toBe(broker);
  expect(told).toEqual(['no broker from first: away']);
  await expect(findBroker([fails], tell)).rejects.toThrow(
    'Install the package rabbitmq-server (4.0 or newer',
  );
});

describe('composeUrl', () => {
  const CONFIG = JSON.stringify({ secrets: { 'rabbitmq-demo': { file: '/secrets/rabbitmq-demo' } } });
  const readFile = (path: string): string => `${path === '/secrets/rabbitmq-demo' ? 'a/b@c' : 'another'}\n`;

  it('takes the password from its file, and the published port', () => {
    const url = 'amqp://demo:a%2Fb%40c@127.0.0.1:15672/demo';
    expect(composeUrl(CONFIG, '0.0.0.0:15672', readFile)).toBe(url);
    expect(composeUrl(CONFIG, '[::]:15672', readFile)).toBe(url);
  });

  it('refuses a file without a password for the demo, and a service that publishes nothing', () => {
    expect(() => composeUrl('{}', '0.0.0.0:15672', readFile)).toThrow('it has no secret rabbitmq-demo');
    expect(() => composeUrl(CONFIG, '', readFile)).toThrow('publishes no port');
  });
});
