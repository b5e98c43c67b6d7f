import type { ConsumeMessage } from 'amqplib';

/** How one kind of service is spoken to. */
export interface Speech {
  addressOf(type: string): { readonly exchange: string; readonly routingKey: string };
  bodyOf(type: string, id: string, data: object): object;
  /** Whether no reply follows. */
  isFinal(message: ConsumeMessage): boolean;
}

/** The bus contract: published to the exchange of the commands, final if the header says so. */
export function busSpeech(prefix: string): Speech {
  return {
    addressOf: (type) => ({ exchange: `${prefix}.commands`, routingKey: type }),
    bodyOf: (_type, _id, data) => data,
    isFinal: ({ properties }) => properties.headers?.['final'] === true,
  };
}

/** The packets of Nest's own client. */
export function nestSpeech(queue: string): Speech {
  return {
    ...queueSpeech(queue),
    bodyOf: (pattern, id, data) => ({ pattern, data, id }),
    isFinal: ({ content }) =>
      (JSON.parse(content.toString()) as { isDisposed?: boolean }).isDisposed === true,
  };
}

/** A plain service of one queue: the body is the data, and each reply the only one. */
export function queueSpeech(queue: string): Speech {
  return {
    addressOf: () => ({ exchange: '', routingKey: queue }),
    bodyOf: (_type, _id, data) => data,
    isFinal: () => true,
  };
}
