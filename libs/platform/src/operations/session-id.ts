import { v5 } from 'uuid';

import type { CommandIdentity } from './operation.ts';

const NAMESPACE = '6f1c2d0e-0f43-5c1b-9b0e-3f6a7d1f4c52';

/**
 * Returns the session id for a game opened without one, so that a repeated command opens the same session;
 * undefined for a call that serves no command.
 */
export function sessionIdOf({ caller, operator, id }: CommandIdentity): string | undefined {
  return id === undefined ? undefined : v5(JSON.stringify([caller, operator, id]), NAMESPACE);
}
