/** A player of one client. */
export interface Player {
  readonly clientId: string;
  /** The client's own identifier. */
  readonly userId: string;
  readonly nick?: string;
  readonly currency?: string;
  readonly preferredCurrency?: string;
  readonly country?: string;
  /** Whatever else open-game told about the player, under the names of the interface. */
  readonly profile: Readonly<Record<string, unknown>>;
}

/** What is told about a player: members that are absent stay as they were. */
export type PlayerDetails = Partial<Omit<Player, 'clientId' | 'userId'>>;
