import { Controller } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';

import { type Reply, SessionCreate } from '#contracts';
import { CommandContext } from '#messaging';
import { PlatformClients } from '#platform';

import { AsDelivered } from '../as-delivered.ts';
import { clientOf } from '../client-of.ts';

/** `session.create`: a session for a player. */
@Controller()
export class SessionCreateController {
  readonly #platform: PlatformClients;

  constructor(platform: PlatformClients) {
    this.#platform = platform;
  }

  @MessagePattern('session.create')
  @AsDelivered()
  async create(data: SessionCreate, command: CommandContext): Promise<Reply> {
    const created = await clientOf(this.#platform, command).createSession(data, command);
    return { type: 'session.created', data: created };
  }
}
