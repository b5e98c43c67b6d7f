import { Controller } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';

import type { ReplyTo } from '#contracts';
import { GameOpen } from '#contracts/validation';
import { CommandContext } from '#messaging';
import type { PlatformClient } from '#platform';

import { sessionIdOf } from './session-id-of.ts';

/** `game.open`: the lobby or a table for a player. */
@Controller()
export class GameOpenController {
  @MessagePattern('game.open')
  async open(
    @Payload() data: GameOpen,
    @Ctx() command: CommandContext<PlatformClient>,
  ): Promise<ReplyTo<'game.open'>> {
    const { client } = command;
    const game = data.session?.id === undefined && client.derivesSessionIds ? withId(data, command) : data;
    const opened = await client.openGame(game, command);
    return { type: 'game.opened', data: opened };
  }
}

function withId({ player, session }: GameOpen, { caller, operator, id }: CommandContext): GameOpen {
  return { player, session: { ...session, id: sessionIdOf(caller, operator, id) } };
}
