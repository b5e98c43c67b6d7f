import {
  type DynamicModule,
  type FactoryProvider,
  Inject,
  Module,
  type ModuleMetadata,
  type OnApplicationShutdown,
} from '@nestjs/common';

import type { CallerOptions } from '../caller-options.ts';
import { Caller, createCaller } from '../caller.ts';
import { CallerClientProxy } from './caller-client-proxy.ts';

/** How the options are made, as for Nest's own modules. */
export interface CallerModuleAsyncOptions extends Pick<ModuleMetadata, 'imports'> {
  readonly inject?: FactoryProvider['inject'];
  // Nest gives what `inject` names, and does not type it.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly useFactory: (...injected: any[]) => CallerOptions | Promise<CallerOptions>;
  /** Whether other modules need not import it. Default false. */
  readonly isGlobal?: boolean;
}

/** Provides `Caller` and `CallerClientProxy`, and closes the caller when the application shuts down. */
@Module({})
export class CallerModule implements OnApplicationShutdown {
  readonly #caller: Caller;

  constructor(@Inject(Caller) caller: Caller) {
    this.#caller = caller;
  }

  static forRoot(options: CallerOptions): DynamicModule {
    return CallerModule.forRootAsync({ useFactory: () => options });
  }

  static forRootAsync(options: CallerModuleAsyncOptions): DynamicModule {
    const { imports = [], inject = [], useFactory, isGlobal = false } = options;
    return {
      module: CallerModule,
      global: isGlobal,
      imports,
      providers: [
        {
          provide: Caller,
          inject,
          useFactory: async (...injected: unknown[]) => createCaller(await useFactory(...injected)),
        },
        {
          provide: CallerClientProxy,
          inject: [Caller],
          useFactory: (caller: Caller) => new CallerClientProxy(caller),
        },
      ],
      exports: [Caller, CallerClientProxy],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#caller.close();
  }
}
