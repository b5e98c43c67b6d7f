import { Injectable } from '@nestjs/common';
import { Currencies } from '../players/currencies.ts';
import { PlatformError } from '../interface/documents.ts';
import { Players } from '../players/players.ts';
import { Settings } from '../settings/settings.ts';
import { Population, selectionOf, type Selection } from './population.ts';
import { incorrect, type ReportQuery } from './report-query.ts';

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
  select(clientId: string, { userId, currency }: ReportQuery): Selection {
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

  private ofPlayer(clientId: string, userId: string, currency: string | undefined): Selection {
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
