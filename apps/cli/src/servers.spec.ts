import { describe, expect, it } from '@jest/globals';

import { CallerError } from '#caller';
import { BrokerError, PublishRefusedError, UnconfirmedError } from '#rabbitmq';

import { exitOfFault } from './servers.ts';

describe('exitOfFault', () => {
  // test/e2e/cli covers the other faults with a real broker.
  it.each([
    [new BrokerError('access-refused', 'why'), 78] as const,
    [CallerError.of('LOGIN_REFUSED'), 78] as const,
    [new UnconfirmedError('why'), 3] as const,
    [new PublishRefusedError(406, 'x', 'why'), 3] as const,
  ])('exits after %s with %i', (error, exitCode) => {
    expect(exitOfFault(error)).toMatchObject({ exitCode, message: error.message });
  });

  it('says that the default broker was tried if AMQP_URL is not set', () => {
    const { AMQP_URL } = process.env;
    delete process.env['AMQP_URL'];
    const message = 'why AMQP_URL is not set; this is its default.';
    expect(exitOfFault(new BrokerError('unreachable', 'why'))).toMatchObject({ exitCode: 3, message });
    if (AMQP_URL !== undefined) process.env['AMQP_URL'] = AMQP_URL;
  });

  it('returns undefined for a bug of the program', () => {
    expect(exitOfFault(new TypeError('x is not a function'))).toBeUndefined();
  });
});
