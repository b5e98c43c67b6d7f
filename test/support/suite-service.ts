import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';

import { type ServiceOptions, ServiceUnderTest } from './service-under-test.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

/** Returns a stack whose entries are disposed of after the tests of a suite, the last one first. */
export function stackForAll(): AsyncDisposableStack {
  const stack = new AsyncDisposableStack();
  afterAll(() => stack.disposeAsync());
  return stack;
}

export function folderForAll(): TemporaryFolder {
  return stackForAll().use(temporaryFolder());
}

/**
 * Options, or a function that returns them when the suite starts. Entries of `stack` are disposed of after
 * the service.
 */
export type OptionsForAll<T extends object> = T | ((stack: AsyncDisposableStack) => Promise<T>);

/** Starts a resource before the tests of a suite, and disposes of it after them. */
export function startForAll<T extends object>(
  options: OptionsForAll<T>,
  start: (options: T) => Promise<AsyncDisposable>,
): void {
  const stack = stackForAll();
  beforeAll(async () => {
    stack.use(await start(typeof options === 'function' ? await options(stack) : options));
  });
}

export function serviceForAll(options: OptionsForAll<ServiceOptions>): ServiceUnderTest {
  const service = new ServiceUnderTest();
  startForAll(options, (known) => service.open(known));
  return service;
}

export function serviceForEach(options: ServiceOptions): ServiceUnderTest {
  const service = new ServiceUnderTest();
  beforeEach(() => service.open(options));
  afterEach(() => service[Symbol.asyncDispose]());
  return service;
}
