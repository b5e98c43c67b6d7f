import { v5 } from 'uuid';

/** The namespace of the ids that this service derives. */
const NAMESPACE = '6f1c2d0e-0f43-5c1b-9b0e-3f6a7d1f4c52';

/** The session id of a game that was opened without one: the same for the same command, so that a repeat opens the same session. */
export function sessionIdOf(caller: string, operator: string, commandId: string): string {
  return v5(JSON.stringify([caller, operator, commandId]), NAMESPACE);
}
