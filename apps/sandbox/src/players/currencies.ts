import { PlatformError } from '../interface/documents.ts';
import type { CurrencySettings } from '../settings/settings.ts';

/** The currencies that the platform knows. */
export class Currencies {
  private readonly activeCodes: ReadonlySet<string>;
  private readonly inactiveCodes: ReadonlySet<string>;

  constructor(private readonly settings: CurrencySettings) {
    this.activeCodes = new Set(settings.active);
    this.inactiveCodes = new Set(settings.inactive);
  }

  /** Used if no currency is named. */
  get system(): string {
    return this.settings.active[0] as string;
  }

  get active(): readonly string[] {
    return this.settings.active;
  }

  isKnown(code: string): boolean {
    return this.activeCodes.has(code) || this.inactiveCodes.has(code);
  }

  /**
   * Checks the currency of a session or a game. If it is not mandatory, the interface shows no error for it.
   * @throws PlatformError 422 if the currency is blank, unknown or not active
   */
  check(code: string | undefined, pointer: string): void {
    if (!this.settings.mandatory) return;
    if (!code) throw new PlatformError(422, { detail: 'Currency cannot be blank', pointer });
    if (!this.isKnown(code)) throw new PlatformError(422, { detail: 'Currency not found', pointer });
    if (!this.activeCodes.has(code))
      throw new PlatformError(422, { detail: 'This currency is not active', pointer });
  }
}
