import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { BrokerError, type BrokerFault, PublishRefusedError, UnconfirmedError } from '#rabbitmq';

import { exitOfFault } from './exit-of-fault.ts';

describe('exitOfFault', () => {
  const { AMQP_URL } = process.env;
  beforeEach(() => void (process.env['AMQP_URL'] = 'amqp://elsewhere'));
  afterEach(() => {
    if (AMQP_URL === undefined) delete process.env['AMQP_URL'];
    else process.env['AMQP_URL'] = AMQP_URL;
  });

  it.each<[BrokerFault, number]>([
    ['unreachable', 3],
    ['blocked', 3],
    ['queue-busy', 3],
    ['queue-missing', 3],
    ['login-refused', 78],
    ['virtual-host-refused', 78],
    ['access-refused', 78],
  ])('ends with the fault %s of a broker by %i', (fault, exitCode) => {
    expect(exitOfFault(new BrokerError(fault, 'why'))).toMatchObject({ exitCode, message: 'why' });
  });

  it('says that the default broker was tried if AMQP_URL is not set', () => {
    delete process.env['AMQP_URL'];
    const tried = new BrokerError('unreachable', 'No broker can be reached (127.0.0.1:5672: ECONNREFUSED).');
    expect(exitOfFault(tried)).toMatchObject({
      exitCode: 3,
      message: expect.stringMatching(/127\.0\.0\.1:5672: .* AMQP_URL is not set; this is its default\.$/),
    });
  });

  it('ends without a stack for a message that the broker does not take', () => {
    for (const error of [new UnconfirmedError('unconfirmed'), new PublishRefusedError(406, 'x', 'refused')]) {
      expect(exitOfFault(error)).toMatchObject({ exitCode: 3, message: error.message });
    }
  });

  it('leaves a fault of the program what it is', () => {
    const fault = new TypeError('x is not a function');
    expect(exitOfFault(fault)).toBe(fault);
  });
});
