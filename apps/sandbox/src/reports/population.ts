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
export function selectionOf(accounts: readonly Account[]): Sequence<Account> {
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
