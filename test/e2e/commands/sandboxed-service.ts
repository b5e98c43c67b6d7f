import { SandboxClient } from '../../support/sandbox-client.ts';
import { SandboxProcess } from '../../../scripts/processes/sandbox-process.ts';
import { platformAt } from '../../../scripts/processes/worker-process.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { type OptionsForAll, startForAll } from '../../support/suite-service.ts';

type Variables = Readonly<Record<string, string>>;

export interface SandboxedOptions {
  /** The variables of the sandbox, or a running sandbox. */
  readonly sandbox?: Variables | SandboxClient;
  readonly worker?: Variables;
  /** The broker. Default: the one of the test run. */
  readonly url?: string;
}

/** One worker and a real sandbox, each in its own process. */
export type SandboxedService = Awaited<ReturnType<typeof startSandboxedService>>;

export function sandboxedForAll(options: OptionsForAll<SandboxedOptions> = {}): SandboxedService {
  const service = new ServiceUnderTest();
  const sandboxed = { service } as SandboxedService;
  startForAll(options, async (known) =>
    Object.assign(sandboxed, await startSandboxedService(known, service)),
  );
  return sandboxed;
}

/** Starts a sandbox and a worker that calls it with its default credentials. */
export async function startSandboxedService(
  options: SandboxedOptions = {},
  service = new ServiceUnderTest(),
) {
  await using stack = new AsyncDisposableStack();
  const { sandbox = {} } = options;
  const platform =
    sandbox instanceof SandboxClient
      ? sandbox
      : new SandboxClient(await stack.use(new SandboxProcess(sandbox)).url);
  const { url } = platform;
  stack.use(
    await service.open({
      behaviour: (_request, response) => void response.writeHead(500).end(),
      workers: 1,
      variables: { ...platformAt(url), ...options.worker },
      ...(options.url !== undefined && { url: options.url }),
    }),
  );
  const started = stack.move();
  return {
    service,
    caller: service.caller,
    worker: service.running,
    platform,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
