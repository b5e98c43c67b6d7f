// A service that opens lobbies over HTTP, reports its health, and logs the failures that poker-bridge
// announces.
import { Controller, Get, Injectable, Logger, Module, Param } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { EventPattern, Payload, type RmqOptions, Transport } from '@nestjs/microservices';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { Caller } from '@poker-bridge/caller';
import { CallerErrorFilter, CallerHealthIndicator, CallerModule } from '@poker-bridge/caller/nest';

const url = process.env['AMQP_URL'] ?? '';
const prefix = process.env['AMQP_PREFIX'] ?? 'poker';

@Injectable()
export class Lobbies {
  constructor(private readonly poker: Caller) {}

  async urlFor(playerId: string): Promise<string> {
    const game = await this.poker.openGame({ player: { id: playerId } }, { deadlineMs: 5_000 });
    return game.url;
  }
}

@Controller()
export class LobbyController {
  constructor(
    private readonly lobbies: Lobbies,
    private readonly health: HealthCheckService,
    private readonly indicator: CallerHealthIndicator,
  ) {}

  @Get('lobbies/:player')
  async lobby(@Param('player') player: string): Promise<{ url: string }> {
    return { url: await this.lobbies.urlFor(player) };
  }

  @Get('health')
  @HealthCheck()
  check() {
    return this.health.check([() => this.indicator.isHealthy()]);
  }
}

@Controller()
export class FailureListener {
  readonly #logger = new Logger(FailureListener.name);

  @EventPattern('command.failed')
  failed(@Payload() { code, command }: { code: string; command: { id: string; type: string } }): void {
    this.#logger.warn(`${command.type} ${command.id} failed: ${code}`);
  }
}

/** Announcements of poker-bridge name their type in a property, where Nest expects a pattern in the body. */
export const announcements: RmqOptions = {
  transport: Transport.RMQ,
  options: {
    urls: [url],
    queue: 'example-nest.announcements',
    queueOptions: { durable: true, arguments: { 'x-queue-type': 'quorum' } },
    exchange: `${prefix}.events`,
    exchangeType: 'topic',
    routingKey: 'command.failed.#',
    deserializer: {
      deserialize: (data: unknown, { type }: { type: string }) => ({ pattern: type, data }),
    },
  },
};

@Module({
  imports: [CallerModule.forRoot({ url, prefix, name: 'example-nest' }), TerminusModule],
  controllers: [LobbyController, FailureListener],
  providers: [Lobbies, { provide: APP_FILTER, useClass: CallerErrorFilter }],
})
export class AppModule {}
