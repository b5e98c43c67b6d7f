import type { Period } from './period.ts';

/** The options of `report ad-hoc` and `report rake`. */
export interface ReportOptions {
  readonly from?: string;
  readonly to?: string;
  readonly month?: Period;
  readonly day?: Period;
  readonly out: string;
  readonly force?: true;
  readonly resume?: true;
  /** Or `@` and the path of a file that holds it. */
  readonly userId?: string;
  readonly currency?: string;
  readonly timeZone?: string;
  readonly sort?: string;
  readonly perPage?: number;
  readonly operator?: string;
  readonly deadlineMs?: number;
  readonly json?: true;
}
