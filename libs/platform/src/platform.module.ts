import { type DynamicModule, Module, type OnApplicationShutdown } from '@nestjs/common';

import type { PlatformClientOptions } from './platform-client.ts';
import { PlatformClients } from './platform-clients.ts';
import type { OperatorCredentials } from './platform-settings.ts';

export type PlatformModuleOptions = PlatformClientOptions & {
  readonly operators: readonly OperatorCredentials[];
};

/**
 * Provides `PlatformClients`.
 *
 * They are closed when the application shuts down, after its transports have stopped: until then, commands in flight
 * may call the platform.
 */
@Module({})
export class PlatformModule implements OnApplicationShutdown {
  constructor(private readonly clients: PlatformClients) {}

  static forRoot({ operators, ...options }: PlatformModuleOptions): DynamicModule {
    const clients = { provide: PlatformClients, useFactory: () => new PlatformClients(operators, options) };
    return { module: PlatformModule, providers: [clients], exports: [PlatformClients] };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.clients.close();
  }
}
