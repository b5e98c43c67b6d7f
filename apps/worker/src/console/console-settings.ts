import type { Lane } from '#contracts';

/** The settings that the console shows. */
export interface ConsoleSettings {
  /** Those of this worker (setting `LANES`). */
  readonly lanes: readonly Lane[];
}

export const CONSOLE_SETTINGS = Symbol('console settings');
