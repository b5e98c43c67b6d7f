interface Waiting {
  readonly bytes: number;
  readonly isWanted: () => boolean;
  readonly admit: () => void;
}

/** Limits the bytes of messages that are being published; further messages wait in order. */
export class ByteWindow {
  #bytes = 0;
  readonly #waiting: Waiting[] = [];

  constructor(private readonly maxBytes: number) {}

  /**
   * Publishes a message once there is room for it.
   *
   * @param isWanted if it returns false, the message does not wait any more, and `publish` must reject
   * @throws the error of `publish`
   */
  async publish<T>(bytes: number, isWanted: () => boolean, publish: () => Promise<T>): Promise<T> {
    await new Promise<void>((admit) => {
      this.#waiting.push({ bytes, isWanted, admit });
      this.#admit();
    });
    try {
      return await publish();
    } finally {
      this.#bytes -= bytes;
      this.#admit();
    }
  }

  /** Admits waiting messages. A message larger than the window is published alone. */
  #admit(): void {
    for (let [next] = this.#waiting; next; [next] = this.#waiting) {
      const isFull = this.#bytes > 0 && this.#bytes + next.bytes > this.maxBytes;
      if (isFull && next.isWanted()) return;
      this.#waiting.shift();
      this.#bytes += next.bytes;
      next.admit();
    }
  }
}
