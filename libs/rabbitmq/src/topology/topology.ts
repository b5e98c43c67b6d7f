export interface ExchangeDeclaration {
  readonly name: string;
  readonly type: 'direct' | 'fanout' | 'topic';
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface QueueDeclaration {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface Binding {
  readonly queue: string;
  readonly exchange: string;
  readonly routingKey: string;
}

/** What a service declares at start, in this order. All of it is durable. */
export interface Topology {
  readonly exchanges: readonly ExchangeDeclaration[];
  readonly queues: readonly QueueDeclaration[];
  readonly bindings: readonly Binding[];
}
