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

/** A command as it is published: plain data that JSON holds, so that an outbox can keep it in a column. */
export interface OutgoingCommand {
  readonly exchange: string;
  readonly routingKey: string;
  readonly properties: CommandProperties;
  /** JSON. */
  readonly body: string;
}
