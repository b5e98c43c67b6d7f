/** Limits the bytes of messages that are being published; further messages wait in order. */
export class ByteWindow {
  #bytes = 0;
  readonly #waiting: { readonly bytes: number; readonly admit: () => void }[] = [];

  constructor(private readonly maxBytes: number) {}

  /**
   * Publishes a message once there is room for it.
   *
   * @throws the error of `publish`
   */
  async publish<T>(bytes: number, publish: () => Promise<T>): Promise<T> {
    await new Promise<void>((admit) => {
      this.#waiting.push({ bytes, admit });
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
      if (this.#bytes > 0 && this.#bytes + next.bytes > this.maxBytes) return;
      this.#waiting.shift();
      this.#bytes += next.bytes;
      next.admit();
    }
  }
}
