/** One invalid setting: its variable and the reason, never its value. */
export interface SettingFault {
  readonly variable: string;
  readonly reason: string;
}

/** Thrown with all invalid settings. The process exits with `EXIT_CONFIG`. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  constructor(readonly faults: readonly SettingFault[]) {
    super(faults.map(({ variable, reason }) => `${variable}: ${reason}`).join('\n'));
  }
}

/** The exit code for invalid settings (`EX_CONFIG` of sysexits). */
export const EXIT_CONFIG = 78;
