import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { IsOptional, IsString, Length } from 'class-validator';
import { Clients } from '../clients/clients.ts';
import { PlatformError } from '../json-api/platform-error.ts';
import type { Player } from '../archive/player.ts';
import { Players } from '../players/players.ts';
import { Settings } from '../settings.ts';
import { Problem } from './problem.ts';
import { validBody } from './valid-body.ts';

class NewPlayer {
  @Length(1, 255) userId!: string;
  /** Default: the client of SANDBOX_CLIENT_ID. */
  @IsOptional() @IsString() clientId?: string;
  @IsOptional() @Length(1, 255) nick?: string;
  @IsOptional() @IsString() currency?: string;
  @IsOptional() @IsString() preferredCurrency?: string;
  @IsOptional() @IsString() country?: string;
}

/** Adds players without a session, and lists them. */
@Controller('sandbox/players')
export class PlayersController {
  private readonly mainClientId: string;

  constructor(
    settings: Settings,
    private readonly clients: Clients,
    private readonly players: Players,
  ) {
    this.mainClientId = (settings.clients[0] as { id: string }).id;
  }

  /** Adds one player or a list; if one cannot be added, those before it are. */
  @Post()
  add(@Body() body: unknown): Player | Player[] {
    return Array.isArray(body)
      ? body.map((one, index) => this.addOne(one, `/${index}`))
      : this.addOne(body, '');
  }

  @Get()
  list(@Query('clientId') clientId = this.mainClientId, @Query('userId') userId?: string) {
    const all =
      userId === undefined ? this.players.all() : [this.players.find(clientId, userId)].filter(isFound);
    return { count: this.players.count, players: [...all].slice(0, 100) };
  }

  @Get(':userId')
  show(@Param('userId') userId: string, @Query('clientId') clientId = this.mainClientId): Player {
    const player = this.players.find(clientId, userId);
    if (!player) throw new Problem(404, 'There is no such player.');
    return player;
  }

  private addOne(body: unknown, at: string): Player {
    const { userId, clientId = this.mainClientId, ...details } = validBody(NewPlayer, body, at);
    if (!this.clients.find(clientId))
      throw new Problem(422, 'There is no such client.', [
        { pointer: `${at}/clientId`, message: 'is not known' },
      ]);
    if (!this.players.hasRoomFor(clientId, userId))
      throw new Problem(409, 'The sandbox has as many players as it can keep; reset it.');
    if (details.nick !== undefined) this.checkNickname(clientId, userId, details.nick, `${at}/nick`);
    return this.players.save(clientId, userId, details);
  }

  private checkNickname(clientId: string, userId: string, nick: string, pointer: string): void {
    try {
      this.players.checkNickname(clientId, userId, nick, pointer);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      throw new Problem(409, error.message, [{ pointer, message: error.message }]);
    }
  }
}

function isFound(player: Player | undefined): player is Player {
  return player !== undefined;
}
