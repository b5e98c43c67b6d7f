export type StatusClass = '2xx' | '3xx' | '4xx' | '5xx';

/** An answer of the platform. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly contentEncoding: string | undefined;
  /** Its bytes as they came, or why they cannot be used. */
  readonly body: Buffer | 'too-large' | 'incomplete';
}

/** Every status from 500 up is a failure of the platform, also one that HTTP does not know. */
export function statusClass(status: number): StatusClass {
  if (status >= 500) return '5xx';
  if (status >= 400) return '4xx';
  return status >= 300 ? '3xx' : '2xx';
}
