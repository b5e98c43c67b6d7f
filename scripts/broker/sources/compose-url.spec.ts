import { describe, expect, it } from '@jest/globals';

import { composeUrl } from './compose-url.ts';

const CONFIG = JSON.stringify({ secrets: { 'rabbitmq-demo': { file: '/secrets/rabbitmq-demo' } } });
const readFile = (path: string): string => `${path === '/secrets/rabbitmq-demo' ? 'a/b@c' : 'another'}\n`;

describe('composeUrl', () => {
  it('takes the password from its file, and the published port', () => {
    const url = 'amqp://demo:a%2Fb%40c@127.0.0.1:15672/demo';
    expect(composeUrl(CONFIG, '0.0.0.0:15672', readFile)).toBe(url);
    expect(composeUrl(CONFIG, '[::]:15672', readFile)).toBe(url);
  });

  it('refuses a file that has no password for the demo', () => {
    expect(() => composeUrl('{}', '0.0.0.0:15672', readFile)).toThrow('it has no secret rabbitmq-demo');
  });

  it('refuses a service that publishes nothing', () => {
    expect(() => composeUrl(CONFIG, '', readFile)).toThrow('publishes no port');
  });
});
