import type { Archive } from '../archive/archive.ts';
import { PlatformError } from '../json-api/platform-error.ts';
import type { Player, PlayerDetails } from '../archive/player.ts';

/** Players of all clients together. */
const MAX_PLAYERS = 100_000;

/** The players of all clients. Nicknames are unique among all of them, ignoring case. */
export class Players {
  private readonly byKey = new Map<string, Player>();
  private readonly keyByNickname = new Map<string, string>();

  /** @param nicknameMaxLength in characters (Unicode code points) */
  constructor(
    private readonly nicknameMaxLength: number,
    private readonly archive: Archive,
  ) {
    for (const player of archive.players()) this.keep(player);
  }

  find(clientId: string, userId: string): Player | undefined {
    return this.byKey.get(keyOf(clientId, userId));
  }

  all(): IterableIterator<Player> {
    return this.byKey.values();
  }

  /** The last players that were added, the newest first. */
  newest(count: number): readonly Player[] {
    return [...this.byKey.values()].slice(-count).reverse();
  }

  get count(): number {
    return this.byKey.size;
  }

  /**
   * Checks whether a player may have this nickname.
   * @param pointer to the nickname, for errors
   * @throws PlatformError 422 if it belongs to another player or is too long
   */
  checkNickname(clientId: string, userId: string, nick: string, pointer: string): void {
    if (nick.length > this.nicknameMaxLength && [...nick].length > this.nicknameMaxLength)
      throw new PlatformError(422, {
        detail: `The maximum username length is ${this.nicknameMaxLength}`,
        pointer,
      });
    const owner = this.keyByNickname.get(fold(nick));
    if (owner !== undefined && owner !== keyOf(clientId, userId))
      throw new PlatformError(422, {
        detail: 'A Player with this username already exists in the system.',
        pointer,
      });
  }

  /** Whether the player exists, or there is room for a new one. */
  hasRoomFor(clientId: string, userId: string): boolean {
    return this.count < MAX_PLAYERS || this.find(clientId, userId) !== undefined;
  }

  /**
   * Adds or updates a player; the nickname must have been checked.
   * @throws PlatformError 503 if there is no room for a new one
   */
  save(clientId: string, userId: string, details: PlayerDetails): Player {
    if (!this.hasRoomFor(clientId, userId))
      throw new PlatformError(503, { detail: `The sandbox is full: it keeps ${MAX_PLAYERS} players` });
    const player = { profile: {}, ...this.find(clientId, userId), ...details, clientId, userId };
    this.archive.savePlayer(player);
    this.keep(player);
    return player;
  }

  clear(): void {
    this.byKey.clear();
    this.keyByNickname.clear();
  }

  private keep(player: Player): void {
    const key = keyOf(player.clientId, player.userId);
    const known = this.byKey.get(key);
    if (known?.nick !== undefined && known.nick !== player.nick) this.keyByNickname.delete(fold(known.nick));
    if (player.nick) this.keyByNickname.set(fold(player.nick), key);
    this.byKey.set(key, player);
  }
}

function keyOf(clientId: string, userId: string): string {
  return JSON.stringify([clientId, userId]);
}

function fold(nick: string): string {
  return nick.normalize('NFC').toLowerCase();
}
