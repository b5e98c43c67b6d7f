import { Injectable } from '@nestjs/common';

import { PlatformError, type Resource } from '../interface/documents.ts';
import { Currencies, Players } from '../players/players.ts';
import { Settings } from '../settings/settings.ts';
import { figuresOf, MONEY_TYPES, rakeOf, weightedSteps } from './figures.ts';
import {
  type Account,
  concatenated,
  Population,
  reversed,
  selectionOf,
  type Sequence,
} from './population.ts';
import { dateOf, dayCount, dayPartAt, incorrect, type RakeSort, type ReportQuery } from './report-query.ts';

export interface RakeQuery extends ReportQuery {
  readonly sort: RakeSort;
  readonly convert: boolean;
}

/**
 * Both reports as sequences of records, any of which takes the same time. They are about a generated population, and, if
 * a report is requested by user id, the players of the sandbox.
 */
@Injectable()
export class Reports {
  private readonly population: Population;

  constructor(
    private readonly settings: Settings,
    private readonly currencies: Currencies,
    private readonly players: Players,
  ) {
    this.population = new Population(Math.ceil(settings.reports.records / 2), currencies.active);
  }

  /** One record per day, user, currency and money type, in this order. */
  adHoc(clientId: string, query: ReportQuery): Sequence<Resource> {
    const { records, seed } = this.settings.reports;
    const selection = this.select(clientId, query);
    const lastIndex = this.population.size - 1;
    // if the number of records is odd, the last account has only one money type
    const isLastHalf =
      records % 2 === 1 && selection.count > 0 && selection.at(selection.count - 1).index === lastIndex;
    const perDay = selection.count * MONEY_TYPES.length - (isLastHalf ? 1 : 0);
    const at = (position: number): Resource => {
      const ofDay = position % perDay;
      const { index, userId, currency } = selection.at(Math.floor(ofDay / MONEY_TYPES.length));
      const dayPart = dayPartAt(query.period, Math.floor(position / perDay));
      const moneyType = MONEY_TYPES[ofDay % MONEY_TYPES.length] as (typeof MONEY_TYPES)[number];
      const date = dateOf(dayPart.day);
      const figures = figuresOf({ rank: index, seed }, moneyType, dayPart);
      return {
        type: 'ad-hoc-report',
        // the integer distinguishes a user's records of one day
        id: `${userId}-${index * MONEY_TYPES.length + moneyType}-${date}`,
        attributes: { 'user-id': userId, date, 'money-type': moneyType, currency, ...figures },
      };
    };
    return { count: perDay * dayCount(query.period), at };
  }

  /** One record per user and currency over the whole period. Takes time proportional to its days as well. */
  rake(clientId: string, query: RakeQuery): Sequence<Resource> {
    const { period, convert } = query;
    let steps = 0;
    for (let nth = 0; nth < dayCount(period); nth++) steps += weightedSteps(dayPartAt(period, nth));
    const selection = this.sorted(clientId, query);
    const at = (position: number): Resource => {
      const { index, userId, currency: own } = selection.at(position);
      const { preferredCurrency = this.currencies.system } = this.players.find(clientId, userId) ?? {};
      const currency = convert ? preferredCurrency : own;
      const attributes = { 'user-id': userId, currency, value: rakeOf(index, steps) };
      return { type: 'players-rake', id: `${userId}-${own}`, attributes };
    };
    return { count: steps === 0 ? 0 : selection.count, at };
  }

  // accounts are ordered by user id and currency, and from the most rake to the least
  private sorted(clientId: string, query: RakeQuery): Sequence<Account> {
    const { field, isDescending } = query.sort;
    const isByCurrency = field === 'currency' && !query.convert && query.userId === undefined;
    const codes = isByCurrency && query.currency === undefined ? this.currencies.active : [query.currency];
    const selections = [...codes].sort().map((currency) => {
      return this.select(clientId, { ...query, ...(currency && { currency }) });
    });
    const all = concatenated(selections);
    return isDescending === (field === 'value') ? all : reversed(all);
  }

  /** @throws PlatformError 422 if the currency is unknown, 404 if the user is unknown and players must exist */
  private select(clientId: string, { userId, currency }: ReportQuery): Sequence<Account> {
    if (currency !== undefined && !this.currencies.isKnown(currency))
      throw incorrect('currency', 'currency must be the code of a currency that the platform knows');
    if (userId === undefined) return this.population.select(currency);
    if (this.population.forUser(userId).count > 0) return this.population.forUser(userId, currency);

    const player = this.players.find(clientId, userId);
    if (!player && this.settings.unknownPlayers === 'refuse') throw new PlatformError(404);
    const account = { index: rankOf(userId), userId, currency: player?.currency ?? this.currencies.system };
    return selectionOf(player && (currency ?? account.currency) === account.currency ? [account] : []);
  }
}

/** The rank of a player whom the population does not hold: the same for the same id, and not among the first. */
function rankOf(userId: string): number {
  return 2 + [...Buffer.from(userId)].reduce((sum, byte) => (sum * 31 + byte) % 5000, 0);
}
