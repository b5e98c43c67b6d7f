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
  const broker = (fault: BrokerFault): Error => new BrokerError(fault, 'why');

  it.each([
    // The others are met by a real broker in test/e2e/cli.
    ['queue-busy', broker('queue-busy'), 3] as const,
    ['access-refused', broker('access-refused'), 78] as const,
    ['unconfirmed', new UnconfirmedError('why'), 3] as const,
    ['publish refused', new PublishRefusedError(406, 'x', 'why'), 3] as const,
  ])('ends with its message after the fault %s', (_, error, exitCode) => {
    expect(exitOfFault(error)).toMatchObject({ exitCode, message: error.message });
  });

  it('says that the default broker was tried if AMQP_URL is not set', () => {
    delete process.env['AMQP_URL'];
    const message = 'why AMQP_URL is not set; this is its default.';
    expect(exitOfFault(broker('unreachable'))).toMatchObject({ exitCode: 3, message });
  });

  it('leaves a fault of the program what it is', () => {
    const fault = new TypeError('x is not a function');
    expect(exitOfFault(fault)).toBe(fault);
  });
});
