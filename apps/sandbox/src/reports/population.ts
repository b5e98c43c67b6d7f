import { Injectable } from '@nestjs/common';

import { PlatformError } from '../interface/documents.ts';
import { Currencies, Players } from '../players/players.ts';
import { Settings } from '../settings/settings.ts';
import { incorrect, type ReportQuery } from './report-query.ts';

/**
 * Who plays, computed arithmetically: nothing is stored, and any position is found in constant time.
 *
 * The population is a list of accounts, one for each player and currency. A player plays in two currencies (in one
 * if there is only one), next to each other in the list and in alphabetical order. So accounts are ordered by
 * user id, by user id and currency, and (see figures.ts) from the most rake to the least.
 */
export interface Account {
  /** Position among all accounts, from 0. */
  readonly index: number;
  readonly userId: string;
  readonly currency: string;
}

/** Items that are computed when they are asked for. */
export interface Sequence<T> {
  readonly count: number;
  /** @param position from 0 to `count` - 1 */
  at(position: number): T;
}

const USER_ID = /^player-(\d{8})$/;

export class Population {
  private readonly currencies: readonly string[];
  private readonly accountsPerUser: number;

  /**
   * @param size the number of accounts
   * @param currencies in which players play; at least one
   */
  constructor(
    readonly size: number,
    currencies: readonly string[],
  ) {
    this.currencies = [...currencies].sort();
    this.accountsPerUser = Math.min(2, currencies.length);
  }

  /** Every account, or those in one currency. */
  select(currency?: string): Sequence<Account> {
    if (currency === undefined) return { count: this.size, at: (position) => this.accountAt(position) };

    // currencies repeat after as many players as there are currencies
    const blockSize = this.currencies.length * this.accountsPerUser;
    const offsets = range(blockSize).filter((offset) => this.accountAt(offset).currency === currency);
    const inLastBlock = offsets.filter((offset) => offset < this.size % blockSize).length;
    return {
      count: Math.floor(this.size / blockSize) * offsets.length + inLastBlock,
      at: (position) => {
        const block = Math.floor(position / offsets.length);
        return this.accountAt(block * blockSize + (offsets[position % offsets.length] as number));
      },
    };
  }

  /** The accounts of one player, in one currency or in both; none if the user is not in the population. */
  forUser(userId: string, currency?: string): Sequence<Account> {
    const user = Number(USER_ID.exec(userId)?.[1] ?? 0) - 1;
    const accounts = range(this.accountsPerUser)
      .map((slot) => user * this.accountsPerUser + slot)
      .filter((index) => index >= 0 && index < this.size)
      .map((index) => this.accountAt(index))
      .filter((account) => currency === undefined || account.currency === currency);
    return selectionOf(accounts);
  }

  private accountAt(index: number): Account {
    const user = Math.floor(index / this.accountsPerUser);
    const first = user % this.currencies.length;
    const second = (user + 1) % this.currencies.length;
    const place = index % this.accountsPerUser === 0 ? Math.min(first, second) : Math.max(first, second);
    const userId = `player-${String(user + 1).padStart(8, '0')}`;
    return { index, userId, currency: this.currencies[place] as string };
  }
}

/** A selection from a list of accounts. */
function selectionOf(accounts: readonly Account[]): Sequence<Account> {
  return { count: accounts.length, at: (position) => accounts[position] as Account };
}

/** The same accounts in the opposite order. */
export function reversed(selection: Sequence<Account>): Sequence<Account> {
  return { count: selection.count, at: (position) => selection.at(selection.count - 1 - position) };
}

/** Selections one after the other. */
export function concatenated(selections: readonly Sequence<Account>[]): Sequence<Account> {
  return {
    count: selections.reduce((sum, { count }) => sum + count, 0),
    at: (position) => {
      let rest = position;
      for (const selection of selections) {
        if (rest < selection.count) return selection.at(rest);
        rest -= selection.count;
      }
      throw new RangeError(`There is no position ${position}.`);
    },
  };
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

/**
 * The accounts that reports are about: a generated population, and, if a report is requested by user id, the players of
 * the sandbox.
 */
@Injectable()
export class Accounts {
  readonly population: Population;

  constructor(
    private readonly settings: Settings,
    private readonly currencies: Currencies,
    private readonly players: Players,
  ) {
    this.population = new Population(Math.ceil(settings.reports.records / 2), currencies.active);
  }

  /**
   * @throws PlatformError 422 if the currency is unknown, 404 if the user is unknown and players must exist
   */
  select(clientId: string, { userId, currency }: ReportQuery): Sequence<Account> {
    if (currency !== undefined && !this.currencies.isKnown(currency))
      throw incorrect('currency', 'currency must be the code of a currency that the platform knows');
    if (userId === undefined) return this.population.select(currency);
    if (this.population.forUser(userId).count > 0) return this.population.forUser(userId, currency);
    return this.ofPlayer(clientId, userId, currency);
  }

  /** The currency that a user's amounts are converted to. */
  preferredCurrency(clientId: string, userId: string): string {
    return this.players.find(clientId, userId)?.preferredCurrency ?? this.currencies.system;
  }

  private ofPlayer(clientId: string, userId: string, currency: string | undefined): Sequence<Account> {
    const player = this.players.find(clientId, userId);
    if (!player && this.settings.unknownPlayers === 'refuse') throw new PlatformError(404);
    const account = { index: rankOf(userId), userId, currency: player?.currency ?? this.currencies.system };
    return selectionOf(player && (currency ?? account.currency) === account.currency ? [account] : []);
  }
}

function rankOf(userId: string): number {
  const sum = [...userId].reduce(
    (total, character) => (total * 31 + (character.codePointAt(0) ?? 0)) % 5000,
    0,
  );
  return 2 + sum;
}
