/** The environment does not hold usable settings; the process should end with code 78 (EX_CONFIG). */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  /** @param faults one line for each fault: the variable's name and the reason, never its value */
  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
  }
}
