import { brokerSources, findBroker } from './broker/find-broker.ts';
import { removeTopology } from './broker/remove-topology.ts';
import { SandboxProcess } from './processes/sandbox-process.ts';
import { platformAt, PRECISIONS, WorkerProcess } from './processes/worker-process.ts';

type Settings = Readonly<Record<string, string>>;

/** Awaits a part of the service, and may report it. */
export type Step = <T>(part: string, starting: Promise<T>, describe: (result: T) => string) => Promise<T>;

/**
 * Starts a broker, the sandbox and a worker, from built code and on free ports. The broker may belong to the
 * user (AMQP_URL), so the disposal removes the worker's queues and exchanges.
 *
 * @param prefix of the worker's names on the bus
 * @param settings of the sandbox and the worker
 * @param step default: reports nothing
 */
export async function startService(
  prefix: string,
  settings: Settings,
  step: Step = (_, starting) => starting,
) {
  await using parts = new AsyncDisposableStack();
  const finding = findBroker(brokerSources({ amqpUrl: process.env['AMQP_URL'] }));
  const withoutLogin = (url: string) => url.replaceAll(/\/\/[^/,]*@/g, '//');
  const { url: amqpUrl } = parts.use(
    await step('RabbitMQ', finding, ({ origin, url }) => `${origin}, ${withoutLogin(url)}`),
  );
  const sandbox = parts.use(new SandboxProcess(settings));
  const sandboxUrl = await step('sandbox', sandbox.url, String);
  parts.defer(() => removeTopology(amqpUrl, prefix, settings['REPORTS_RETRY_DELAYS_MS']));
  const variables = { ...PRECISIONS, ...settings, ...platformAt(sandboxUrl) };
  const worker = parts.use(new WorkerProcess({ ...variables, AMQP_URL: amqpUrl, AMQP_PREFIX: prefix }));
  await step('worker', worker.ready(), () => 'takes commands');
  const started = parts.move();
  return { amqpUrl, sandboxUrl, worker, [Symbol.asyncDispose]: () => started.disposeAsync() };
}
