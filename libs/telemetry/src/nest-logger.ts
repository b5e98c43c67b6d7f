import type { LoggerService } from '@nestjs/common';

import type { Logger } from './logger.ts';

/** Writes Nest's own messages to the log of the service. They describe the framework's start, so they are for debugging. */
export class NestLogger implements LoggerService {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger.child({ from: 'nest' });
  }

  log(message: unknown): void {
    this.#logger.debug(String(message));
  }

  warn(message: unknown): void {
    this.#logger.warn(String(message));
  }

  error(message: unknown): void {
    if (message instanceof Error) this.#logger.error({ err: message }, 'Nest reports an error');
    else this.#logger.error(String(message));
  }

  debug(message: unknown): void {
    this.#logger.trace(String(message));
  }

  verbose(message: unknown): void {
    this.#logger.trace(String(message));
  }
}
