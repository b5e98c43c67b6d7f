/** A broker that was started or found, for as long as it is needed. */
export interface FoundBroker {
  readonly url: string;
  /** In words, for example `a private RabbitMQ 3.10.8`. */
  readonly origin: string;
  /** Settles when it ends by itself; never for one that somebody else looks after. */
  readonly ended: Promise<void>;
  /** Ends what was started; leaves alone what was there before. */
  stop(): Promise<void>;
}

/** One place where a broker may come from. */
export interface BrokerSource {
  readonly name: string;
  /** @throws {Error} saying why there is none from here */
  start(): Promise<FoundBroker>;
}
