/** The settings for reading reports. */
export interface ReportSettings {
  /** Records a page, unless the command says otherwise (setting `REPORTS_PER_PAGE`). */
  readonly perPage: number;
}

export const REPORT_SETTINGS = Symbol('report settings');
