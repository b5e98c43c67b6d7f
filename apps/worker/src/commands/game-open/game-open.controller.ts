import { Controller } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';

import type { ReplyTo } from '#contracts';
import { GameOpen } from '#contracts/validation';
import { CommandContext } from '#messaging';
import type { PlatformClient } from '#platform';

/** `game.open`: the lobby or a table for a player. */
@Controller()
export class GameOpenController {
  @MessagePattern('game.open')
  open(
    @Payload() data: GameOpen,
    @Ctx() command: CommandContext<PlatformClient>,
  ): Promise<ReplyTo<'game.open'>> {
    const { client } = command;
    const game = client.withSessionId(data, command);
    return client.call('game.open', game, command).then((opened) => ({ type: 'game.opened', data: opened }));
  }
}
