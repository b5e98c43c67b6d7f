import { Controller } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';

import { GameOpen, type ReplyTo } from '#contracts';
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
  async open(@Payload() data: GameOpen, @Ctx() command: CommandContext): Promise<ReplyTo<'game.open'>> {
    const client = clientOf(this.#platform, command);
    const game = data.session?.id === undefined && client.derivesSessionIds ? withId(data, command) : data;
    const opened = await client.openGame(game, command);
    return { type: 'game.opened', data: opened };
  }
}

function withId({ player, session }: GameOpen, { caller, operator, id }: CommandContext): GameOpen {
  return { player, session: { ...session, id: sessionIdOf(caller, operator, id) } };
}
