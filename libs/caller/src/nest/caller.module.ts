import { ConfigurableModuleBuilder, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';

import type { CallerOptions } from '../caller-options.ts';
import { Caller, createCaller } from '../caller.ts';
import { CallerClientProxy } from './caller-client-proxy.ts';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<CallerOptions>()
  .setClassMethodName('forRoot')
  .setExtras({ isGlobal: false }, (definition, { isGlobal }) => ({ ...definition, global: isGlobal }))
  .build();

/** Provides `Caller` and `CallerClientProxy`, and closes the caller when the application shuts down. */
@Module({
  providers: [
    { provide: Caller, inject: [MODULE_OPTIONS_TOKEN], useFactory: createCaller },
    {
      provide: CallerClientProxy,
      inject: [Caller],
      useFactory: (caller: Caller) => new CallerClientProxy(caller),
    },
  ],
  exports: [Caller, CallerClientProxy],
})
export class CallerModule extends ConfigurableModuleClass implements OnApplicationShutdown {
  readonly #caller: Caller;

  constructor(@Inject(Caller) caller: Caller) {
    super();
    this.#caller = caller;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#caller.close();
  }
}

/** How the options are made, as for Nest's own modules; `isGlobal`, default false: other modules need not import it. */
export type CallerModuleAsyncOptions = Parameters<typeof CallerModule.forRootAsync>[0];
