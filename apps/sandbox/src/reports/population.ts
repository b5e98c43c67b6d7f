/**
 * The generated players, computed arithmetically: nothing is stored, and any position is computed in constant
 * time.
 *
 * The population is a list of accounts, one for each player and currency. A player plays in two currencies
 * (in one if there is only one), next to each other in the list and in alphabetical order. So accounts are
 * ordered by user id, by user id and currency, and (see figures.ts) from the most rake to the least.
 */
export interface Account {
  /** Position among all accounts, from 0. */
  readonly index: number;
  readonly userId: string;
  readonly currency: string;
}

/** A sequence whose items are computed on access. Arrays satisfy this type, too. */
export interface Sequence<T> {
  readonly length: number;
  /** @param position from 0 to `length` - 1 */
  at(position: number): T | undefined;
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

  select(currency?: string): Sequence<Account> {
    // currencies repeat after as many players as there are currencies
    const blockSize = this.currencies.length * this.accountsPerUser;
    const offsets = this.range(0, blockSize).filter((each) => each.currency === (currency ?? each.currency));
    const inLastBlock = offsets.filter(({ index }) => index < this.size % blockSize).length;
    return {
      length: Math.floor(this.size / blockSize) * offsets.length + inLastBlock,
      at: (position) => {
        const offset = offsets[position % offsets.length]?.index ?? 0;
        return this.accountAt(Math.floor(position / offsets.length) * blockSize + offset);
      },
    };
  }

  forUser(userId: string): readonly Account[] {
    const user = Number(USER_ID.exec(userId)?.[1] ?? 0) - 1;
    const accounts = this.range(user * this.accountsPerUser, this.accountsPerUser);
    return accounts.filter(({ index }) => index >= 0 && index < this.size);
  }

  private range(start: number, length: number): readonly Account[] {
    return Array.from({ length }, (_, offset) => this.accountAt(start + offset));
  }

  private accountAt(index: number): Account {
    const user = Math.floor(index / this.accountsPerUser);
    const played = [user, user + 1].map((nth) => this.currencies[nth % this.currencies.length]).sort();
    const userId = `player-${String(user + 1).padStart(8, '0')}`;
    return { index, userId, currency: played[index % this.accountsPerUser] as string };
  }
}

export function joined<T>(one: Sequence<T>, other: Sequence<T>): Sequence<T> {
  const { length } = one;
  const at = (position: number) => (position < length ? one.at(position) : other.at(position - length));
  return { length: length + other.length, at };
}
