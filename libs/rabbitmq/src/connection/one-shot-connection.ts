import type { ChannelModel } from 'amqplib';

import { readAddress } from './address.ts';
import { BrokerError, type ConnectOptions, connectTo } from './connect.ts';
import { destroySocket } from '../amqplib/destroy-socket.ts';
import { closeInTime } from '../channel/channel.ts';
import { ACCESS_REFUSED, codeOf } from '../channel/refusal.ts';

/** The connection is closed if an alarm lasts longer. */
const LONGEST_ALARM_MS = 10_000;

/**
 * A connection for a command that a person runs. It is not recreated when it is lost, and it is closed if the
 * broker is under an alarm for ten seconds, because messages published during an alarm are neither confirmed
 * nor refused.
 */
export class OneShotConnection implements AsyncDisposable {
  readonly model: ChannelModel;
  readonly user: string;
  /** The broker's reason, such as `low on memory`. */
  #alarm: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  private constructor(model: ChannelModel, user: string) {
    this.model = model;
    this.user = user;
    model.on('error', () => undefined);
    model.on('close', () => clearTimeout(this.#timer));
    model.on('unblocked', () => this.#change(undefined));
    model.on('blocked', (reason) => this.#change(reason));
  }

  /**
   * Connects to the first reachable node.
   *
   * @throws BrokerError at once if a node refuses the user, because all nodes would
   */
  static async open(urls: readonly string[], options: ConnectOptions): Promise<OneShotConnection> {
    const reasons: string[] = [];
    for (const url of urls) {
      try {
        return new OneShotConnection(await connectTo(url, options), readAddress(url).user);
      } catch (error) {
        if (!(error instanceof BrokerError) || error.fault !== 'unreachable') throw error;
        reasons.push(`${new URL(url).host}: ${error.message}`);
      }
    }
    throw new BrokerError('unreachable', `No broker can be reached (${reasons.join('; ')}).`);
  }

  get isBlocked(): boolean {
    return this.#alarm !== undefined;
  }

  /** Converts an error of an operation on this connection into a `BrokerError`. */
  faultOf(cause: unknown): BrokerError {
    if (cause instanceof BrokerError) return cause;
    if (this.#alarm !== undefined) return new BrokerError('blocked', alarmSentence(this.#alarm), { cause });
    const { message } = cause as Error;
    return codeOf(cause) === ACCESS_REFUSED
      ? new BrokerError('access-refused', `The broker refuses this user: ${message}`, { cause })
      : new BrokerError('unreachable', `The broker no longer answers: ${message}`, { cause });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A broker under an alarm does not read the close.
    if (this.isBlocked) destroySocket(this.model);
    else await closeInTime(this.model);
  }

  #change(alarm: string | undefined): void {
    this.#alarm = alarm;
    clearTimeout(this.#timer);
    if (alarm === undefined) return;
    this.#timer = setTimeout(() => destroySocket(this.model, new Error(alarm)), LONGEST_ALARM_MS);
  }
}

/** @param reason the broker's reason, for example `low on memory` */
export function alarmSentence(reason: string): string {
  return `The broker is ${reason} and takes nothing: rabbitmqctl status shows its alarms.`;
}
