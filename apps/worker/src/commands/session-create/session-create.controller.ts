import { Controller } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';

import type { ReplyTo } from '#contracts';
import { SessionCreate } from '#contracts/validation';
import { type CommandContext, WithoutPipes } from '#messaging';
import type { PlatformClient } from '#platform';

/** `session.create`: a session for a player. */
@Controller()
export class SessionCreateController {
  @MessagePattern('session.create')
  @WithoutPipes()
  async create(
    data: SessionCreate,
    command: CommandContext<PlatformClient>,
  ): Promise<ReplyTo<'session.create'>> {
    const created = await command.client.createSession(data, command);
    return { type: 'session.created', data: created };
  }
}
