import { IsSafeInteger } from '../validation/numbers.ts';
import { MayBeAbsent, MustBeGiven } from '../validation/presence.ts';
import { IsAfter, IsReportTime } from '../validation/report-period.ts';
import { IsPlayerId, IsText } from '../validation/text.ts';

/** The data of `report.ad-hoc.fetch`: every page of a report, or with `page` that one alone. */
export class AdHocReportFetch {
  /** `YYYY-MM-DD HH:MM:SS`, before `dateTo`. */
  @MustBeGiven()
  @IsReportTime()
  readonly dateFrom!: string;

  @MustBeGiven()
  @IsReportTime()
  @IsAfter('dateFrom')
  readonly dateTo!: string;

  @MayBeAbsent()
  @IsPlayerId()
  readonly userId?: string;

  @MayBeAbsent()
  @IsText()
  readonly currency?: string;

  /** From 1. */
  @MayBeAbsent()
  @IsSafeInteger({ min: 1 })
  readonly page?: number;

  /** 1 to 1000; default the worker's `REPORTS_PER_PAGE`. */
  @MayBeAbsent()
  @IsSafeInteger({ min: 1, max: 1000 })
  readonly perPage?: number;
}

/** The data of `report.rake.fetch`. */
export class RakeReportFetch extends AdHocReportFetch {
  /** A zone name, or an offset such as `+03:00`. */
  @MayBeAbsent()
  @IsText()
  readonly timeZone?: string;

  @MayBeAbsent()
  @IsText()
  readonly convertToPreferredCurrency?: string;

  @MayBeAbsent()
  @IsText()
  readonly sort?: string;
}
