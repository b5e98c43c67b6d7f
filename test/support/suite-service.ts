import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';

import { type ServiceOptions, ServiceUnderTest } from './service-under-test.ts';

/** A service that is there while the tests of a suite run. */
export function serviceForAll(options: ServiceOptions): ServiceUnderTest {
  const service = new ServiceUnderTest();
  beforeAll(() => service.open(options));
  afterAll(() => service[Symbol.asyncDispose]());
  return service;
}

/** A service that is started for each test of a suite. */
export function serviceForEach(options: ServiceOptions): ServiceUnderTest {
  const service = new ServiceUnderTest();
  beforeEach(() => service.open(options));
  afterEach(() => service[Symbol.asyncDispose]());
  return service;
}
