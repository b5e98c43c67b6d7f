/** One example of a message, for documents and tests. */
export interface Example<T> {
  readonly name: string;
  readonly summary: string;
  /** Headers that it travels with; those that every message has are left out. */
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly data: T;
}
