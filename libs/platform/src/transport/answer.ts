export type StatusClass = '2xx' | '3xx' | '4xx' | '5xx';

/** What the platform answered. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly contentEncoding: string | undefined;
  /** Why the body cannot be used, or its bytes as they came. */
  readonly body: Buffer | 'too-large' | 'incomplete';
}

/** Everything from 500 up is a failure of the platform, whatever it calls it. */
export function statusClass(status: number): StatusClass {
  if (status >= 500) return '5xx';
  if (status >= 400) return '4xx';
  return status >= 300 ? '3xx' : '2xx';
}
