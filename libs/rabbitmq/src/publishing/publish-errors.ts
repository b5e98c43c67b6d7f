/** The broker has not confirmed the message, which may have reached its queue all the same; it is not tried again. */
export class UnconfirmedError extends Error {
  override readonly name = 'UnconfirmedError';
}

/** The broker refuses this one message for good: it closes the channel that publishes it. */
export class PublishRefusedError extends Error {
  override readonly name: string = 'PublishRefusedError';
  /**
   * AMQP's: 403 the user may not publish there, 404 there is no such exchange, 406 a property is not accepted. From 500 on,
   * the broker closes the whole connection.
   */
  readonly code: number;
  readonly exchange: string;

  constructor(code: number, exchange: string, message: string) {
    super(message);
    this.code = code;
    this.exchange = exchange;
  }
}

/** The broker takes no message of this size. */
export class MessageTooLargeError extends PublishRefusedError {
  override readonly name = 'MessageTooLargeError';

  constructor(exchange: string, bytes: number, maxBytes: number) {
    const limit = `the broker takes ${maxBytes} (its setting max_message_size)`;
    super(406, exchange, `The message has ${bytes} bytes, and ${limit}.`);
  }
}
