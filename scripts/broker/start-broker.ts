import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { freePorts, isListening } from '../network.ts';
import { GuardedCommand } from '../processes/guarded-command.ts';
import type { Installation } from './installation.ts';
import { nodeEnvironment, rabbitmqctl } from './node-environment.ts';
import { type BrokerNode, createNodeFiles, type NodeSettings } from './node-files.ts';
import { isSupported, requireInstallation } from './require-installation.ts';

const BOOT_TIMEOUT_MS = 90_000;
const LAST_LINES = 25;

/** A broker that was started or found, for as long as it is needed. */
export interface FoundBroker {
  readonly url: string;
  /** In words, for example `a private RabbitMQ 4.3.6`. */
  readonly origin: string;
  /** Settles when it ends by itself; never for one that somebody else looks after. */
  readonly ended: Promise<unknown>;
  /** Ends what was started; leaves alone what was there before. */
  stop(): Promise<void>;
}

/** A private RabbitMQ node, alone or of a cluster. It ends with this process, whichever way that ends. */
export class Broker implements FoundBroker, AsyncDisposable {
  /** For example `poker-1@localhost`. */
  readonly name: string;
  readonly url: string;
  readonly node: BrokerNode;
  readonly #portMapper: GuardedCommand | undefined;
  #command: GuardedCommand | undefined;

  /** @param portMapper ends with it */
  constructor(node: BrokerNode, portMapper?: GuardedCommand) {
    this.name = node.name;
    this.url = `amqp://guest:guest@127.0.0.1:${node.ports.amqp}`;
    this.node = node;
    this.#portMapper = portMapper;
  }

  get origin(): string {
    const { version } = this.node.installation;
    return `a private RabbitMQ ${version}${isSupported(version) ? '' : ', which is not supported: 4.0 and newer are'}`;
  }

  /** Settles when the node that runs now has ended, whether or not on purpose. */
  get ended(): Promise<unknown> {
    return this.#command?.exited ?? Promise.resolve();
  }

  /** Runs rabbitmqctl against it: `ctl('list_queues', 'name', 'messages')`. About a second. */
  ctl(...args: string[]): Promise<string> {
    return rabbitmqctl(this.node, args);
  }

  /** Ends it as a power cut would, and keeps its data. */
  async kill(): Promise<void> {
    await this.#command?.end({ keepFolder: true });
  }

  /** Sends a signal to it, such as SIGSTOP. */
  signal(signal: NodeJS.Signals): void {
    this.#command?.kill(signal);
  }

  /** Ends it in order, as an upgrade does, and keeps its data. */
  async shutDown(): Promise<void> {
    this.signal('SIGTERM');
    await this.ended;
    await this.kill();
  }

  /**
   * Starts it, or kills it and starts it again with its data and on its ports, and waits until it takes connections.
   *
   * @throws {Error} with the end of its log, if it ends before that
   */
  async restart(): Promise<void> {
    await this.kill();
    const { folder, installation, ports } = this.node;
    const output = openSync(join(folder, 'log', 'output.log'), 'a');
    const command = new GuardedCommand(join(installation.home, 'sbin', 'rabbitmq-server'), [], {
      cwd: folder,
      env: nodeEnvironment(this.node),
      output: [output, output],
      folder,
    });
    closeSync(output);
    this.#command = command;
    try {
      await command.poll(() => isListening(ports.amqp), BOOT_TIMEOUT_MS);
    } catch (error) {
      const last = ['output.log', 'node.log'].map((name) => lastLines(join(folder, 'log', name)));
      await this.stop();
      throw new Error(`RabbitMQ did not start:\n${last.join('\n')}`, { cause: error });
    }
  }

  /** Ends it and removes its folder. Nothing of it is left when this settles. */
  async stop(): Promise<void> {
    await this.#command?.end();
    rmSync(this.node.folder, { recursive: true, force: true });
    await this.#portMapper?.end();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

function lastLines(file: string): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-LAST_LINES).join('\n');
  } catch {
    return '';
  }
}

/** Starts Erlang's port mapper, through which nodes and rabbitmqctl find each other, on a loopback port. */
export function runPortMapper({ path }: Installation, port: number): GuardedCommand {
  const env = { PATH: path };
  return new GuardedCommand('epmd', ['-port', String(port), '-address', '127.0.0.1'], {
    output: 'ignore',
    env,
  });
}

export interface StartBrokerOptions extends NodeSettings {
  /** The AMQP port. Default: a free one. */
  readonly port?: number | undefined;
  /** Default: what is installed, or gets unpacked. */
  readonly installation?: Installation;
}

/**
 * Starts a private RabbitMQ node on loopback ports, in a temporary folder, and waits until it takes connections.
 *
 * @throws {Error} if RabbitMQ is not there and cannot be brought, or does not start
 */
export async function startBroker(options: StartBrokerOptions = {}): Promise<Broker> {
  const installation = options.installation ?? (await requireInstallation());
  const [free = 0, distribution = 0, epmd = 0, metrics = 0] = await freePorts(4);
  const ports = { amqp: options.port ?? free, distribution, epmd, metrics };
  const broker = new Broker(createNodeFiles(installation, ports, options), runPortMapper(installation, epmd));
  await broker.restart();
  return broker;
}
