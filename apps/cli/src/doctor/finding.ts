/** What one check found. Its texts hold neither secrets nor players' data. */
export interface Finding {
  /** What was looked at, in a few words. */
  readonly subject: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** What to do about it; absent if nothing is wrong. */
  readonly advice?: string;
}

export function ok(subject: string, message: string): Finding {
  return { subject, state: 'ok', message };
}

/** It works, and may not be meant so. */
export function warn(subject: string, message: string, advice: string): Finding {
  return { subject, state: 'warn', message, advice };
}

/** A worker with these settings would not do its work. */
export function fail(subject: string, message: string, advice: string): Finding {
  return { subject, state: 'fail', message, advice };
}
