import { readFileSync } from 'node:fs';

import type { ConsumeMessage } from 'amqplib';

import { removeTopology } from '../../scripts/broker/remove-topology.ts';
import { PrivateRedis } from './private-redis.ts';
import { testBrokerUrl, uniquePrefix } from './broker.ts';
import { BusCaller } from './bus-caller.ts';
import { Gate, healthy } from './platform-answers.ts';
import { type PlatformBehaviour, PlatformStub } from './platform-stub.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { until } from './until.ts';
import { WorkerUnderTest } from './worker-under-test.ts';

export interface ServiceOptions {
  readonly behaviour: PlatformBehaviour;
  /** Settings of every worker; by default, its timeouts are longer than any test. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Default: the broker of the test run. */
  readonly url?: string;
  /** True if the workers share a Redis of their own. Default: false. */
  readonly redis?: boolean;
  /** The number of workers that are started at the beginning. Default: 0. */
  readonly workers?: number;
}

/**
 * Timeouts far longer than any test: even on a busy machine, no command expires, no call times out and no
 * stop is cut short, unless a test sets another value.
 */
const UNHURRIED = {
  INTERACTIVE_DEADLINE_MS: '600000',
  PLATFORM_ATTEMPT_TIMEOUT_MS: '600000',
  SHUTDOWN_GRACE_MS: '600000',
};

/**
 * The environment of workers that are tested from outside: a prefix of their own on the broker, a platform, a
 * caller, and a network path from workers to the broker that can be broken. Disposing of it removes
 * everything.
 */
export class ServiceUnderTest implements AsyncDisposable {
  prefix!: string;
  /** The broker's own address, not the proxy's. */
  url!: string;
  platform!: PlatformStub;
  proxy!: TcpProxy;
  caller!: BusCaller;
  redis: PrivateRedis | undefined;
  #workers: WorkerUnderTest[] = [];
  #variables: Readonly<Record<string, string>> = {};
  #parts = new AsyncDisposableStack();

  static async start(options: ServiceOptions): Promise<ServiceUnderTest> {
    return await new ServiceUnderTest().open(options);
  }

  /** Called once for each time that it is used. */
  async open({
    behaviour,
    variables = {},
    url = testBrokerUrl(),
    redis = false,
    workers = 0,
  }: ServiceOptions): Promise<this> {
    this.prefix = uniquePrefix();
    this.url = url;
    this.#workers = [];
    this.#variables = variables;
    // Disposes of the parts that were started, even if a later one fails to start.
    await using parts = (this.#parts = new AsyncDisposableStack());
    this.platform = parts.use(await PlatformStub.start(behaviour));
    this.proxy = parts.use(await TcpProxy.start(url));
    this.redis = redis ? parts.use(await PrivateRedis.start()) : undefined;
    parts.defer(() => removeTopology(url, this.prefix, variables['REPORTS_RETRY_DELAYS_MS']));
    this.caller = parts.use(await BusCaller.open(url, this.prefix));
    parts.defer(
      async () => void (await Promise.all(this.#workers.map((worker) => worker[Symbol.asyncDispose]()))),
    );
    await Promise.all(Array.from({ length: workers }, () => this.worker()));
    this.#parts = parts.move();
    return this;
  }

  get workers(): readonly WorkerUnderTest[] {
    return this.#workers;
  }

  /** The worker that was started last. */
  get running(): WorkerUnderTest {
    const last = this.#workers.at(-1);
    if (last === undefined) throw new Error('no worker was started');
    return last;
  }

  /** The settings of workers started by `start`. */
  get variables(): Record<string, string> {
    return {
      ...this.platform.variables,
      AMQP_URL: this.proxy.through(this.url),
      AMQP_PREFIX: this.prefix,
      ...(this.redis && { REDIS_URL: this.redis.url }),
      ...UNHURRIED,
      ...this.#variables,
    };
  }

  /** Starts a worker without waiting until it is ready. */
  start(variables: Readonly<Record<string, string>> = {}): WorkerUnderTest {
    const worker = new WorkerUnderTest({ ...this.variables, ...variables });
    this.#workers.push(worker);
    return worker;
  }

  /** Starts a worker and waits until it consumes commands. */
  worker(variables: Readonly<Record<string, string>> = {}): Promise<WorkerUnderTest> {
    return this.start(variables).ready();
  }

  /** Stops the worker that was started last. @throws {Error} if its exit code is not 0 */
  async stop(): Promise<void> {
    const { running } = this;
    running.kill('SIGTERM');
    const { code, signal } = await running.ended();
    if (code !== 0) throw new Error(`the worker ended with ${code ?? signal}: ${running.stderr}`);
  }

  async restart(): Promise<WorkerUnderTest> {
    await this.stop();
    return this.worker();
  }

  /** Waits until every command delivered to the last worker is acknowledged. */
  async idle(): Promise<void> {
    const inFlight = () => this.running.metric('poker_commands_in_flight');
    await until('all is acknowledged', async () => (await inFlight()) === 0);
  }

  async expectServed(): Promise<void> {
    const { type, text } = await this.caller.sendForOne('session.create', { userId: 'p-1' });
    if (type !== 'session.created') throw new Error(`answered with ${text}`);
  }

  /** From now on, the platform answers only when the gate is open. */
  hold(behaviour = healthy()): Gate {
    const gate = new Gate();
    this.platform.behaviour = gate.behind(behaviour);
    return gate;
  }

  /** Returns the full name of a queue or exchange of the service. */
  name(rest: string): string {
    return `${this.prefix}.${rest}`;
  }

  /** Returns the number of ready messages in a queue of the service. */
  async depth(rest: string): Promise<number> {
    return (await this.caller.channel.checkQueue(this.name(rest))).messageCount;
  }

  /**
   * Removes the waiting reports, and waits until none is in flight and all workers consume.
   *
   * @param retryDelaysMs default: the default of the workers
   */
  async clearReports(retryDelaysMs: readonly number[] = [5_000, 30_000, 120_000]): Promise<void> {
    const queues = ['reports', ...retryDelaysMs.map((ms) => `reports.retry.${ms}`)];
    await until('no report is left', async () => {
      const states = await Promise.all(this.workers.map((worker) => worker.health()));
      const purged = await Promise.all(
        queues.map((queue) => this.caller.channel.purgeQueue(this.name(queue))),
      );
      const lanes = states.map(({ bus }) => bus.lanes['reports']);
      const isIdle = lanes.every((lane) => lane?.state === 'consuming' && lane.inFlight === 0);
      return isIdle && purged.every(({ messageCount }) => messageCount === 0);
    });
  }

  /** Returns the peak memory of the last worker so far, in MiB. */
  peakMib(): number {
    const status = readFileSync(`/proc/${this.running.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
  }

  /** Removes and returns all dead letters. */
  deadLetters(): Promise<ConsumeMessage[]> {
    return this.caller.drain(this.name('dead-letters'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }
}
