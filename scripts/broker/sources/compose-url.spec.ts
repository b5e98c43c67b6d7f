import { describe, expect, it } from '@jest/globals';

import { composeUrl } from './compose-url.ts';

const config = (environment: object): string => JSON.stringify({ services: { rabbitmq: { environment } } });

describe('composeUrl', () => {
  it('takes the user, the password and the published port', () => {
    const json = config({ RABBITMQ_DEFAULT_USER: 'poker', RABBITMQ_DEFAULT_PASS: 'a/b@c' });

    expect(composeUrl(json, '0.0.0.0:15672', 'rabbitmq')).toBe('amqp://poker:a%2Fb%40c@127.0.0.1:15672');
  });

  it('falls back to guest', () => {
    expect(composeUrl(config({}), '[::]:5672', 'rabbitmq')).toBe('amqp://guest:guest@127.0.0.1:5672');
  });

  it('refuses a service that publishes nothing', () => {
    expect(() => composeUrl(config({}), '', 'rabbitmq')).toThrow('publishes no port');
  });
});
