import type { SignedParameters } from '#signing';

import type { Operation } from '../operations.ts';

/** One call of the interface document, complete but for its signature. */
export interface PlatformRequest {
  readonly operation: Operation;
  /** Which root of the operator its path stands under. */
  readonly root: 'baseUrl' | 'apiUrl';
  readonly method: 'GET' | 'POST';
  /** With its query; everything in it is percent-encoded. */
  readonly path: string;
  readonly body: RequestBody | undefined;
  /** All of its parameters, from path, query and body, decoded. */
  readonly parameters: SignedParameters;
}

export interface RequestBody {
  readonly contentType: 'application/x-www-form-urlencoded' | 'application/vnd.api+json';
  readonly text: string;
}
