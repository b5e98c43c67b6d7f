import { Injectable } from '@nestjs/common';

import { PlatformError } from '../interface/documents.ts';
import { currencyKey, ownUserId } from '../interface/real-profile.ts';
import { Players } from '../players/players.ts';
import { Settings } from '../settings/settings.ts';
import { figuresOf, MONEY_TYPES, type MoneyType, rakeOf, weightedSteps } from './figures.ts';
import { type Account, joined, Population, type Sequence } from './population.ts';
import { dateOf, type DayPart, incorrect, type RakeQuery, type ReportQuery } from './report-query.ts';

export interface Resource {
  readonly type: string;
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/**
 * Provides both reports as sequences of records with access in constant time. They cover a generated
 * population and, if a report is requested by user id, the players of the sandbox.
 */
@Injectable()
export class Reports {
  private readonly population: Population;

  constructor(
    private readonly settings: Settings,
    private readonly players: Players,
  ) {
    this.population = new Population(Math.ceil(settings.reports.records / 2), settings.currencies.active);
  }

  /** Returns one record per day, user, currency and money type, in this order. */
  adHoc(clientId: string, query: ReportQuery): Sequence<Resource> {
    const { currencies, profile, reports } = this.settings;
    const { records, seed } = reports;
    const isReal = profile === 'real';
    const accounts = this.select(clientId, query);
    // if the number of records is odd, the last account has only one money type
    const isLastHalf =
      records % 2 === 1 && accounts.at(accounts.length - 1)?.index === this.population.size - 1;
    const perDay = accounts.length * MONEY_TYPES.length - (isLastHalf ? 1 : 0);
    const at = (position: number): Resource => {
      const ofDay = position % perDay;
      const { index, userId, currency } = accounts.at(Math.floor(ofDay / MONEY_TYPES.length)) as Account;
      const dayPart = query.days.at(Math.floor(position / perDay)) as DayPart;
      const moneyType = MONEY_TYPES[ofDay % MONEY_TYPES.length] as MoneyType;
      const date = dateOf(dayPart.day);
      const user = isReal ? String(ownUserId(userId)) : userId;
      const kind = isReal ? currencyKey(currencies.active, currency, moneyType === 1) : moneyType;
      // distinguishes a user's records of one day
      const number = isReal ? kind : index * MONEY_TYPES.length + moneyType;
      const figures = figuresOf(seed, index, moneyType, dayPart);
      const attributes = { 'user-id': user, date, 'money-type': kind, currency, ...figures };
      return { type: 'ad-hoc-report', id: `${user}-${number}-${date}`, attributes };
    };
    return { length: perDay * query.days.length, at };
  }

  /**
   * Returns one record per user and currency over the whole period. The time per record is proportional to
   * the number of days.
   */
  rake(clientId: string, query: RakeQuery): Sequence<Resource> {
    const { days, isConverted } = query;
    const [system] = this.settings.currencies.active;
    const isReal = this.settings.profile === 'real';
    let steps = 0;
    for (let nth = 0; nth < days.length; nth++) steps += weightedSteps(days.at(nth) as DayPart);
    const accounts = this.sorted(clientId, query);
    const at = (position: number): Resource => {
      const { index, userId, currency: own } = accounts.at(position) as Account;
      const { preferredCurrency = system } = this.players.find(clientId, userId) ?? {};
      const currency = isConverted ? preferredCurrency : own;
      const value = rakeOf(index, steps);
      const user = isReal ? ownUserId(userId) : userId;
      const attributes = { 'user-id': user, currency, value: isReal ? String(value) : value };
      return { type: 'players-rake', id: `${user}-${own}`, attributes };
    };
    return { length: steps === 0 ? 0 : accounts.length, at };
  }

  // accounts are ordered by user id and currency, and from the most rake to the least
  private sorted(clientId: string, query: RakeQuery): Sequence<Account> {
    const { sortedBy, isDescending, isConverted, userId } = query;
    const isByCurrency = sortedBy === 'currency' && !isConverted && userId === undefined && !query.currency;
    const codes = isByCurrency ? this.settings.currencies.active.toSorted() : [query.currency];
    const all = codes.map((currency) => this.select(clientId, { ...query, currency })).reduce(joined);
    if (isDescending === (sortedBy === 'value')) return all;
    return { length: all.length, at: (position) => all.at(all.length - 1 - position) };
  }

  /**
   * @throws PlatformError 422 if the currency is unknown, 404 if the user is unknown and players must exist
   */
  private select(clientId: string, { userId, currency }: ReportQuery): Sequence<Account> {
    const { currencies, unknownPlayers } = this.settings;
    if (currency !== undefined && ![...currencies.active, ...currencies.inactive].includes(currency))
      throw incorrect('currency', 'currency must be the code of a currency that the platform knows');
    if (userId === undefined) return this.population.select(currency);

    const player = this.players.find(clientId, userId);
    const generated = this.population.forUser(userId);
    if (!player && generated.length === 0 && unknownPlayers === 'refuse') throw new PlatformError(404);
    const own = { index: rankOf(userId), userId, currency: player?.currency ?? currencies.active[0] };
    const accounts = player && generated.length === 0 ? [own] : generated;
    return accounts.filter((account) => account.currency === (currency ?? account.currency));
  }
}

/**
 * Returns the rank of a player who is not in the population. It depends only on the id, and is not among the
 * lowest.
 */
function rankOf(userId: string): number {
  return 2 + [...Buffer.from(userId)].reduce((sum, byte) => (sum * 31 + byte) % 5000, 0);
}
