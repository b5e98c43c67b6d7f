import { PlatformError } from '../interface/documents.ts';
import type { Settings } from '../settings/settings.ts';

/**
 * Checks the currency of a session or a game. If it is not mandatory, the interface shows no error for it.
 * @throws PlatformError 422 if the currency is blank, unknown or not active
 */
export function checkCurrency(known: Settings['currencies'], code: string | undefined, pointer: string) {
  if (!known.mandatory) return;
  const refuse = (detail: string) => new PlatformError(422, { detail, pointer });
  if (!code) throw refuse('Currency cannot be blank');
  if (known.inactive.includes(code)) throw refuse('This currency is not active');
  if (!known.active.includes(code)) throw refuse('Currency not found');
}

export interface Player {
  readonly clientId: string;
  readonly userId: string;
  readonly nick?: string | undefined;
  readonly currency?: string | undefined;
  readonly preferredCurrency?: string | undefined;
  readonly country?: string | undefined;
  /** All other members of the player that open-game sent, under the names of the interface. */
  readonly profile: Readonly<Record<string, unknown>>;
}

/** An update of a player. Absent or empty members leave the current values unchanged. */
export type PlayerDetails = Partial<Omit<Player, 'clientId' | 'userId'>>;

const MAX_PLAYERS = 100_000;

/** The players of all clients. Nicknames are unique among all of them, ignoring case. */
export class Players {
  private readonly byKey = new Map<string, Player>();
  private readonly keyByNickname = new Map<string, string>();

  /** @param nicknameMaxLength in characters (Unicode code points) */
  constructor(private readonly nicknameMaxLength: number) {}

  find(clientId: string, userId: string): Player | undefined {
    return this.byKey.get(keyOf(clientId, userId));
  }

  all(): readonly Player[] {
    return [...this.byKey.values()];
  }

  /**
   * Checks that a player may use this nickname.
   * @param pointer to the nickname, for errors
   * @throws PlatformError 422 if it belongs to another player or is too long
   */
  checkNickname(clientId: string, userId: string, nick: string, pointer: string): void {
    const refuse = (detail: string) => new PlatformError(422, { detail, pointer });
    if (nick.length > this.nicknameMaxLength && [...nick].length > this.nicknameMaxLength)
      throw refuse(`The maximum username length is ${this.nicknameMaxLength}`);
    const owner = this.keyByNickname.get(fold(nick));
    if (owner !== undefined && owner !== keyOf(clientId, userId))
      throw refuse('A Player with this username already exists in the system.');
  }

  /**
   * Adds or updates a player; the nickname must have been checked.
   * @throws PlatformError 503 if the maximum number of players is reached
   */
  save(clientId: string, userId: string, details: PlayerDetails): Player {
    const key = keyOf(clientId, userId);
    const known = this.byKey.get(key);
    if (!known && this.byKey.size >= MAX_PLAYERS)
      throw new PlatformError(503, { detail: `The sandbox is full: it keeps ${MAX_PLAYERS} players` });
    const given = Object.entries(details).filter(([, value]) => value !== undefined && value !== '');
    const player: Player = { profile: {}, ...known, ...Object.fromEntries(given), clientId, userId };
    if (known?.nick !== undefined && known.nick !== player.nick) this.keyByNickname.delete(fold(known.nick));
    if (player.nick) this.keyByNickname.set(fold(player.nick), key);
    this.byKey.set(key, player);
    return player;
  }

  clear(): void {
    this.byKey.clear();
    this.keyByNickname.clear();
  }
}

/** Returns the key of a client's player or session. */
export function keyOf(clientId: string, id: string): string {
  return JSON.stringify([clientId, id]);
}

function fold(nick: string): string {
  return nick.normalize('NFC').toLowerCase();
}
