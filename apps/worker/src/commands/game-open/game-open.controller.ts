import { Controller } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { v5 } from 'uuid';

import type { ReplyTo } from '#contracts';
import { GameOpen } from '#contracts/validation';
import { CommandContext } from '#messaging';
import type { PlatformClient } from '#platform';

/** The namespace of the ids that this service derives. */
const NAMESPACE = '6f1c2d0e-0f43-5c1b-9b0e-3f6a7d1f4c52';

/** `game.open`: the lobby or a table for a player. */
@Controller()
export class GameOpenController {
  @MessagePattern('game.open')
  open(
    @Payload() data: GameOpen,
    @Ctx() command: CommandContext<PlatformClient>,
  ): Promise<ReplyTo<'game.open'>> {
    const { client } = command;
    const game = data.session?.id === undefined && client.derivesSessionIds ? withId(data, command) : data;
    return client.call('game.open', game, command).then((opened) => ({ type: 'game.opened', data: opened }));
  }
}

function withId({ player, session }: GameOpen, { caller, operator, id }: CommandContext): GameOpen {
  return { player, session: { ...session, id: sessionIdOf(caller, operator, id) } };
}

/** The session id of a game that was opened without one: a repeat of the command opens the same session. */
export function sessionIdOf(caller: string, operator: string, commandId: string): string {
  return v5(JSON.stringify([caller, operator, commandId]), NAMESPACE);
}
