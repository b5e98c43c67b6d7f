import type { RepeatAfterUnknown } from '#resilience';
import type { SignedParameters } from '#signing';

import type { Operation } from '../operations.ts';

/** One request of the interface document, complete but for its signature. */
export interface PlatformRequest {
  readonly operation: Operation;
  /** The root of the operator that its path is relative to. */
  readonly root: 'baseUrl' | 'apiUrl';
  readonly method: 'GET' | 'POST';
  /** The path without values, for traces. */
  readonly pathTemplate: string;
  /** With its query, percent-encoded. */
  readonly path: string;
  readonly body: RequestBody | undefined;
  /** From path, query and body, decoded: what is signed. */
  readonly parameters: SignedParameters;
  /** Default: that of its operation. */
  readonly repeatAfterUnknown?: RepeatAfterUnknown;
}

export interface RequestBody {
  readonly contentType: 'application/x-www-form-urlencoded' | 'application/vnd.api+json';
  readonly text: string;
}
