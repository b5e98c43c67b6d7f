import type { ChannelModel } from 'amqplib';

import type { ConnectionState } from './broker-connection.ts';
import { BrokerError, type ConnectOptions, connectToAny } from './connect.ts';
import { ACCESS_REFUSED, codeOf } from './on-channel.ts';
import { closeWithin, destroySocket } from './time-limits.ts';

const CLOSE_TIMEOUT_MS = 2_000;
/** An alarm that lasts longer ends the connection. */
const LONGEST_ALARM_MS = 10_000;

/**
 * One connection for a person who waits for an answer: it is not recreated once it is lost, and cut if the broker is under an
 * alarm for ten seconds, since what was published then is neither confirmed nor refused.
 */
export class BriefConnection implements AsyncDisposable {
  readonly model: ChannelModel;
  /** The broker user that it belongs to. */
  readonly user: string;
  #state: ConnectionState = { kind: 'open' };
  #alarm: NodeJS.Timeout | undefined;

  private constructor(model: ChannelModel, user: string) {
    this.model = model;
    this.user = user;
    model.on('error', () => undefined);
    model.on('close', () => clearTimeout(this.#alarm));
    model.on('unblocked', () => {
      clearTimeout(this.#alarm);
      this.#state = { kind: 'open' };
    });
    model.on('blocked', (reason) => {
      clearTimeout(this.#alarm);
      this.#state = { kind: 'blocked', reason };
      this.#alarm = setTimeout(() => this.reset(model, reason), LONGEST_ALARM_MS);
    });
  }

  /** @throws BrokerError */
  static async open(urls: readonly string[], options: ConnectOptions): Promise<BriefConnection> {
    const { model, user } = await connectToAny(urls, options);
    return new BriefConnection(model, user);
  }

  /** As a publisher asks for it. */
  get state(): ConnectionState {
    return this.#state;
  }

  /** Cuts the connection. */
  reset(model: ChannelModel, reason: string): void {
    destroySocket(model, new Error(reason));
  }

  /** What an error of the work over this connection says about the broker. */
  faultOf(error: unknown): BrokerError {
    if (error instanceof BrokerError) return error;
    if (this.#state.kind === 'blocked') {
      return new BrokerError('blocked', alarmSentence(this.#state.reason), { cause: error });
    }
    const { message } = error as Error;
    return codeOf(error) === ACCESS_REFUSED
      ? new BrokerError('access-refused', `The broker refuses this user: ${message}`, { cause: error })
      : new BrokerError('unreachable', `The broker does not answer any more: ${message}`, { cause: error });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A broker under an alarm reads no close.
    if (this.#state.kind === 'blocked') this.reset(this.model, this.#state.reason);
    else await closeWithin(CLOSE_TIMEOUT_MS, this.model);
  }
}

/** @param reason the broker's own, for example `low on memory` */
export function alarmSentence(reason: string): string {
  return `The broker is ${reason} and takes nothing: rabbitmqctl status shows its alarms.`;
}
