import type { Context } from '@opentelemetry/api';

import type { AttemptResult } from './platform-observer.ts';

/** One attempt of a call, without values: neither its query nor what stands in its path. */
export interface AttemptFacts {
  readonly method: 'GET' | 'POST';
  /** The address that its path is relative to. */
  readonly root: string;
  /** Such as `/users/{userId}/session`. */
  readonly pathTemplate: string;
  /** Attempts of the same call before. */
  readonly resends: number;
}

export interface AttemptTrace {
  /** @param status of the answer, if there was one */
  end(result: AttemptResult, status: number | undefined): void;
}

/** A port: traces the calls to the platform. The worker binds it to OpenTelemetry, if that is configured. */
export abstract class PlatformTracer {
  /** @param parent of the command that is called for */
  abstract start(parent: Context, attempt: AttemptFacts): AttemptTrace;
}
