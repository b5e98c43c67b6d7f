import { Injectable } from '@nestjs/common';
import type { Resource } from '../json-api/collection-document.ts';
import { Settings } from '../settings.ts';
import { Accounts } from './accounts.ts';
import { figuresOf, MONEY_TYPES } from './figures.ts';
import { dateOf, dayCount, dayPartAt, type DayPart } from './period.ts';
import type { Account } from './population.ts';
import type { ReportQuery } from './report-query.ts';

/** Records at positions from `start`, and the total number of records. */
export interface Extract {
  readonly totalCount: number;
  readonly records: readonly Resource[];
}

/** The ad hoc report: one record per day, user, currency and money type, in this order. */
@Injectable()
export class AdHocReport {
  constructor(
    private readonly settings: Settings,
    private readonly accounts: Accounts,
  ) {}

  /** Takes time proportional to the returned records, not to all records. */
  extract(clientId: string, query: ReportQuery, start: number, count: number): Extract {
    const selection = this.accounts.select(clientId, query);
    const lastIndex = this.accounts.population.size - 1;
    // if the number of records is odd, the last account has only one money type
    const isLastHalf =
      this.settings.reports.records % 2 === 1 &&
      selection.count > 0 &&
      selection.at(selection.count - 1).index === lastIndex;
    const perDay = selection.count * MONEY_TYPES.length - (isLastHalf ? 1 : 0);
    const totalCount = perDay * dayCount(query.period);

    const positions = Array.from(
      { length: Math.max(0, Math.min(count, totalCount - start)) },
      (_, nth) => start + nth,
    );
    const records = positions.map((position) => {
      const ofDay = position % perDay;
      const account = selection.at(Math.floor(ofDay / MONEY_TYPES.length));
      return this.record(
        account,
        ofDay % MONEY_TYPES.length,
        dayPartAt(query.period, Math.floor(position / perDay)),
      );
    });
    return { totalCount, records };
  }

  private record({ index, userId, currency }: Account, nth: number, dayPart: DayPart): Resource {
    const moneyType = MONEY_TYPES[nth] as (typeof MONEY_TYPES)[number];
    const date = dateOf(dayPart.day);
    const figures = figuresOf({ rank: index, seed: this.settings.reports.seed }, moneyType, dayPart);
    return {
      type: 'ad-hoc-report',
      // the integer distinguishes a user's records of one day
      id: `${userId}-${index * MONEY_TYPES.length + moneyType}-${date}`,
      attributes: { 'user-id': userId, date, 'money-type': moneyType, currency, ...figures },
    };
  }
}
