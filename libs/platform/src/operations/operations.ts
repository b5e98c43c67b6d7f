import { COMMAND_TYPES } from '#contracts';

import { gameOpen } from './game-open.ts';
import type { Operation, OperationDefinition } from './operation.ts';
import { reportAdHocFetch, reportRakeFetch } from './report-fetch.ts';
import { sessionCreate } from './session-create.ts';

export const OPERATIONS: readonly Operation[] = COMMAND_TYPES;

/** All operations; a missing command is a compile-time error. */
export const DEFINITIONS: { readonly [O in Operation]: OperationDefinition<O> } = {
  'session.create': sessionCreate,
  'game.open': gameOpen,
  'report.ad-hoc.fetch': reportAdHocFetch,
  'report.rake.fetch': reportRakeFetch,
};
