import { Controller } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';

import { type ReplyTo, SessionCreate } from '#contracts';
import { CommandContext } from '#messaging';
import { PlatformClients } from '#platform';

import { clientOf } from '../client-of.ts';

/** `session.create`: a session for a player. */
@Controller()
export class SessionCreateController {
  readonly #platform: PlatformClients;

  constructor(platform: PlatformClients) {
    this.#platform = platform;
  }

  @MessagePattern('session.create')
  async create(
    @Payload() data: SessionCreate,
    @Ctx() command: CommandContext,
  ): Promise<ReplyTo<'session.create'>> {
    const created = await clientOf(this.#platform, command).createSession(data, command);
    return { type: 'session.created', data: created };
  }
}
