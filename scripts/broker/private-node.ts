import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { speaksAmqp } from '../network.ts';
import { type GuardedCommand, guardedCommand } from '../processes/guarded-command.ts';
import type { Installation } from './installation.ts';
import { nodeEnvironment, rabbitmqctl } from './node-environment.ts';
import type { BrokerNode } from './node-files.ts';

const BOOT_TIMEOUT_MS = 90_000;
const TOLD_LINES = 25;

/** One node of a private broker or cluster. It ends with this process, whichever way that ends. */
export class PrivateNode {
  /** For example `poker-1@localhost`. */
  readonly name: string;
  readonly url: string;
  readonly node: BrokerNode;
  #command: GuardedCommand | undefined;

  constructor(node: BrokerNode) {
    this.name = node.name;
    this.url = `amqp://guest:guest@127.0.0.1:${node.ports.amqp}`;
    this.node = node;
  }

  /** Settles when the node that runs now has ended, whether or not on purpose. */
  get ended(): Promise<void> {
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
    this.#command?.child.kill(signal);
  }

  /** Tells it to end in order, as an upgrade does, and keeps its data. */
  async shutDown(): Promise<void> {
    this.signal('SIGTERM');
    await this.ended;
    await this.kill();
  }

  /**
   * Starts it, or starts it again with its data and on its ports, and waits until it takes connections; kills it first if
   * it runs.
   *
   * @throws {Error} with the end of its log, if it ends before that
   */
  async restart(): Promise<void> {
    await this.kill();
    const { folder, installation, ports } = this.node;
    const output = openSync(join(folder, 'log', 'output.log'), 'a');
    const command = guardedCommand(join(installation.home, 'sbin', 'rabbitmq-server'), [], {
      cwd: folder,
      env: nodeEnvironment(this.node),
      stdin: 'ignore',
      stdout: output,
      stderr: output,
      folder,
    });
    closeSync(output);
    this.#command = command;
    try {
      await command.until(() => speaksAmqp(ports.amqp), BOOT_TIMEOUT_MS);
    } catch (error) {
      const told = lastLines(folder);
      await command.end();
      throw new Error(`RabbitMQ did not start:\n${told}`, { cause: error });
    }
  }

  /** Ends it and removes its folder. Nothing of it is left when this settles. */
  async remove(): Promise<void> {
    await this.#command?.end();
    rmSync(this.node.folder, { recursive: true, force: true });
  }
}

/** Starts Erlang's port mapper, through which nodes and rabbitmqctl find each other, on a loopback port. */
export function runPortMapper({ erlang }: Installation, port: number): GuardedCommand {
  return guardedCommand(join(erlang, 'bin', 'epmd'), ['-port', String(port), '-address', '127.0.0.1'], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
    env: { PATH: process.env['PATH'] },
  });
}

function lastLines(folder: string): string {
  const logs = ['output.log', 'node.log'].map((name) => readIfThere(join(folder, 'log', name)).trimEnd());
  return logs.map((text) => text.split('\n').slice(-TOLD_LINES).join('\n')).join('\n');
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
