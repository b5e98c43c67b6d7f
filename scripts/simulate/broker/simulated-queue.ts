/** One consumer of a queue: takes messages while fewer than its prefetch are unacknowledged. */
export interface QueueReader {
  readonly prefetch: number;
  unacknowledged: number;
  readonly deliver: (command: number) => void;
}

/** A queue of commands, by their numbers. Its readers are served in turn, as RabbitMQ does. */
export class SimulatedQueue {
  #ready: number[] = [];
  #head = 0;
  readonly #readers: QueueReader[] = [];
  #unacknowledged = 0;

  get ready(): number {
    return this.#ready.length - this.#head;
  }

  get unacknowledged(): number {
    return this.#unacknowledged;
  }

  push(command: number): void {
    this.#ready.push(command);
    this.#deliver();
  }

  add(reader: QueueReader): void {
    this.#readers.push(reader);
    this.#deliver();
  }

  remove(reader: QueueReader): void {
    this.#readers.splice(this.#readers.indexOf(reader), 1);
  }

  acknowledge(reader: QueueReader): void {
    reader.unacknowledged -= 1;
    this.#unacknowledged -= 1;
    this.#deliver();
  }

  /** Back to where it was: before all others. */
  requeue(reader: QueueReader, command: number): void {
    this.#ready = [command, ...this.#ready.slice(this.#head)];
    this.#head = 0;
    this.acknowledge(reader);
  }

  #deliver(): void {
    for (let reader = this.#next(); reader; reader = this.#next()) {
      const command = this.#ready[this.#head] as number;
      this.#head += 1;
      if (this.#head === this.#ready.length) [this.#ready, this.#head] = [[], 0];
      reader.unacknowledged += 1;
      this.#unacknowledged += 1;
      reader.deliver(command);
    }
  }

  /** The reader that is served next, which then goes to the end of the line. */
  #next(): QueueReader | undefined {
    if (this.ready === 0) return undefined;
    const index = this.#readers.findIndex(({ prefetch, unacknowledged }) => unacknowledged < prefetch);
    const [reader] = index === -1 ? [] : this.#readers.splice(index, 1);
    if (reader) this.#readers.push(reader);
    return reader;
  }
}
