import { ConfigurableModuleBuilder, Module, type OnApplicationShutdown } from '@nestjs/common';

import type { PlatformClientOptions } from './platform-client.ts';
import { PlatformClients } from './platform-clients.ts';
import type { OperatorCredentials } from './platform-settings.ts';

export type PlatformModuleOptions = PlatformClientOptions & {
  readonly operators: readonly OperatorCredentials[];
};

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<PlatformModuleOptions>({ moduleName: 'Platform' })
    .setClassMethodName('forRoot')
    .build();

/**
 * Provides `PlatformClients`, configured by `PlatformModule.forRoot(options)` or `PlatformModule.forRootAsync(…)`.
 *
 * They are closed when the application shuts down, after its transports have stopped: until then, commands in flight
 * may call the platform.
 */
@Module({
  providers: [
    {
      provide: PlatformClients,
      inject: [MODULE_OPTIONS_TOKEN],
      useFactory: ({ operators, ...options }: PlatformModuleOptions) =>
        new PlatformClients(operators, options),
    },
  ],
  exports: [PlatformClients],
})
export class PlatformModule extends ConfigurableModuleClass implements OnApplicationShutdown {
  readonly #clients: PlatformClients;

  constructor(clients: PlatformClients) {
    super();
    this.#clients = clients;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#clients.close();
  }
}
