import { ConfigurableModuleBuilder, Module, type OnApplicationShutdown } from '@nestjs/common';

import { PlatformClients } from './platform-clients.ts';
import type { PlatformObserver } from './platform-observer.ts';
import type { PlatformTracer } from './platform-tracer.ts';
import type { OperatorCredentials, PlatformLimits, PlatformTransport } from './platform-settings.ts';

export interface PlatformModuleOptions {
  readonly operators: readonly OperatorCredentials[];
  /** Of each operator. */
  readonly limits: PlatformLimits;
  /** Default: direct connections. */
  readonly transport?: PlatformTransport;
  /** Default: none. */
  readonly observer?: PlatformObserver;
  /** Default: nothing is traced. */
  readonly tracer?: PlatformTracer | undefined;
}

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
