/** One example of a message: its body, and the headers that it travels with. */
export interface Example<T = unknown> {
  readonly name: string;
  readonly summary: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly payload: T;
}

export const EXAMPLE_ID = '0197a3f2-6c1e-7b54-9d0a-2f6b8f1c4e11';
export const EXAMPLE_MOMENT = '2026-01-31T12:00:00.000Z';
