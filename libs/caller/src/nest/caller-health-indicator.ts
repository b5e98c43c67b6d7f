import { Inject, Injectable } from '@nestjs/common';

import { Caller } from '../caller.ts';

const READY_TIMEOUT_MS = 1_000;

type Health = { readonly status: 'up' } | { readonly status: 'down'; readonly message: string };

/** A health indicator for `@nestjs/terminus`: up if commands can be sent and replies received. */
@Injectable()
export class CallerHealthIndicator {
  readonly #caller: Caller;

  constructor(@Inject(Caller) caller: Caller) {
    this.#caller = caller;
  }

  /** Returns `up`, or `down` with the last error, which contains no password. Resolves within a second. */
  async isHealthy<K extends string = 'poker-bridge'>(key = 'poker-bridge' as K): Promise<Record<K, Health>> {
    const health = await this.#health();
    return { [key]: health } as Record<K, Health>;
  }

  async #health(): Promise<Health> {
    const { lastError } = this.#caller;
    if (lastError !== undefined) return { status: 'down', message: lastError };
    try {
      await this.#caller.ready(AbortSignal.timeout(READY_TIMEOUT_MS));
      return { status: 'up' };
    } catch (error) {
      return { status: 'down', message: this.#caller.lastError ?? (error as Error).message };
    }
  }
}
