import { Controller } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';

import { GameOpen, type Reply } from '#contracts';
import { CommandContext } from '#messaging';
import { PlatformClients } from '#platform';

import { clientOf } from '../client-of.ts';
import { sessionIdOf } from './session-id-of.ts';

/** `game.open`: the lobby or a table for a player. */
@Controller()
export class GameOpenController {
  readonly #platform: PlatformClients;

  constructor(platform: PlatformClients) {
    this.#platform = platform;
  }

  @MessagePattern('game.open')
  async open(@Payload() data: GameOpen, @Ctx() command: CommandContext): Promise<Reply> {
    const id = data.session?.id ?? sessionIdOf(command.caller, command.operator, command.id);
    const game: GameOpen = { player: data.player, session: { ...data.session, id } };
    const opened = await clientOf(this.#platform, command).openGame(game, command);
    return { type: 'game.opened', data: opened };
  }
}
