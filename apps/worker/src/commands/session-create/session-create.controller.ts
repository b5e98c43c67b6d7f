import { Controller } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';

import type { ReplyTo } from '#contracts';
import { SessionCreate } from '#contracts/validation';
import { CommandContext } from '#messaging';
import type { PlatformClient } from '#platform';

/** `session.create`: a session for a player. */
@Controller()
export class SessionCreateController {
  @MessagePattern('session.create')
  create(
    @Payload() data: SessionCreate,
    @Ctx() command: CommandContext<PlatformClient>,
  ): Promise<ReplyTo<'session.create'>> {
    return command.client
      .call('session.create', data, command)
      .then((session) => ({ type: 'session.created', data: session }));
  }
}
