import {
  BrokerConnection,
  type BrokerConnectionOptions,
  ConfirmedPublisher,
  PublishRefusedError,
  UnconfirmedError,
} from '@poker-bridge/rabbitmq';

import { CallerError } from '../errors/caller-error.ts';
import { abortable, pause } from './abortable.ts';

/** The AMQP properties of a command, in amqplib's names. */
export interface CommandProperties {
  readonly type: string;
  readonly messageId: string;
  readonly correlationId: string;
  readonly replyTo: string;
  readonly contentType: string;
  /** 2: persistent. */
  readonly deliveryMode: number;
  readonly appId: string;
  /** The broker user, if it is to be named. */
  readonly userId?: string;
  readonly headers: Readonly<Record<string, string | number>>;
}

/** A command that is ready to be published: plain data that JSON holds, so that an outbox can keep it in a column. */
export interface PreparedCommand {
  /** The command's id; its replies carry it as `commandId`. */
  readonly id: string;
  readonly exchange: string;
  readonly routingKey: string;
  readonly properties: CommandProperties;
  /** JSON. */
  readonly body: string;
}

/** Pause before a command is published again that its lane refused: it is full, or has no leader. */
const PAUSE_MS = 200;
const NOT_FOUND = 404;

/** Publishes commands mandatory and confirmed, over a connection of its own. */
export class Publisher {
  readonly connection: BrokerConnection;
  readonly #publisher = new ConfirmedPublisher();

  /** Begins to connect at once. */
  constructor(options: BrokerConnectionOptions) {
    this.connection = new BrokerConnection({
      ...options,
      setUp: (model) => this.#publisher.attach(model),
    });
    this.connection.open();
  }

  /**
   * Settles once the broker has confirmed the command.
   *
   * @throws CallerError `NO_WORKER` if nobody is bound to it, `NOT_PERMITTED` if the broker refuses it for good,
   *   `LOGIN_REFUSED`; the signal's reason
   */
  async publish(command: PreparedCommand, replyTo: string, signal: AbortSignal): Promise<void> {
    const { id, exchange, routingKey, body } = command;
    const timestamp = Math.floor(Date.now() / 1_000);
    const headers = { ...command.properties.headers };
    const properties = { ...command.properties, replyTo, timestamp, headers };
    const message = { exchange, routingKey, mandatory: true, content: Buffer.from(body), properties };
    for (;;) {
      const { state } = this.connection;
      if (state.kind === 'refused') throw CallerError.of('LOGIN_REFUSED', id, state.reason);
      try {
        const published = this.#publisher.publish(message, () => !signal.aborted);
        const outcome = await abortable(published, signal);
        if (outcome === 'confirmed') return;
        if (outcome === 'returned') throw CallerError.of('NO_WORKER', id);
      } catch (error) {
        if (error instanceof PublishRefusedError) {
          throw CallerError.of(error.code === NOT_FOUND ? 'NO_WORKER' : 'NOT_PERMITTED', id, error.message);
        }
        if (!(error instanceof UnconfirmedError)) throw error;
      }
      await pause(PAUSE_MS, signal);
    }
  }

  async close(): Promise<void> {
    this.#publisher.close();
    await this.connection.close();
  }
}
