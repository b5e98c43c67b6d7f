import { afterAll, beforeAll, beforeEach } from '@jest/globals';

import { readSettings } from '../../../apps/sandbox/src/settings/settings.ts';
import { type RunningSandbox, startSandbox } from '../../../apps/sandbox/src/start-sandbox.ts';
import { SandboxClient } from '../../support/sandbox-client.ts';

type Variables = Readonly<Record<string, string>>;

/** A sandbox in this process, on a free port. */
export class SandboxUnderTest extends SandboxClient implements AsyncDisposable {
  #running: RunningSandbox | undefined;

  constructor() {
    super('');
  }

  async start(variables: Variables = {}): Promise<this> {
    this.#running = await startSandbox(readSettings({ SANDBOX_PORT: '0', ...variables }));
    this.url = this.#running.url;
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running?.stop();
  }
}

export function startSandboxUnderTest(variables: Variables = {}): Promise<SandboxUnderTest> {
  return new SandboxUnderTest().start(variables);
}

/** One sandbox for all tests of a file or a block, reset before each. */
export function sharedSandbox(variables: Variables = {}): SandboxUnderTest {
  const sandbox = new SandboxUnderTest();
  beforeAll(async () => void (await sandbox.start(variables)));
  beforeEach(async () => void (await sandbox.control('POST', 'reset')));
  afterAll(async () => sandbox[Symbol.asyncDispose]());
  return sandbox;
}
