/** A player of one client. */
export interface Player {
  readonly clientId: string;
  /** The client's own identifier. */
  readonly userId: string;
  readonly nick?: string;
  readonly currency?: string;
  readonly preferredCurrency?: string;
  readonly country?: string;
  /** All other members that open-game sent about the player, under the names of the interface. */
  readonly profile: Readonly<Record<string, unknown>>;
}

/** An update of a player: absent members stay unchanged. */
export type PlayerDetails = Partial<Omit<Player, 'clientId' | 'userId'>>;
