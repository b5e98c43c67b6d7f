/** What reports are read with. */
export interface ReportSettings {
  /** Records a page, where the command does not say (setting `REPORTS_PER_PAGE`). */
  readonly perPage: number;
  /** Decimals by currency (setting `CURRENCY_PRECISIONS`). */
  readonly precisions: ReadonlyMap<string, number>;
}

export const REPORT_SETTINGS = Symbol('report settings');
