/** One example of a message, for documents and tests. */
export interface Example<T> {
  readonly name: string;
  readonly summary: string;
  /** Its headers, without those that every message has. */
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly data: T;
}
