import { isDeepStrictEqual } from 'node:util';

import type { INestApplicationContext, Type } from '@nestjs/common';
import { PIPES_METADATA } from '@nestjs/common/constants.js';
import { ApplicationConfig } from '@nestjs/core';
import { Ctx, Payload } from '@nestjs/microservices';
import { PARAM_ARGS_METADATA } from '@nestjs/microservices/constants.js';

class Plain {
  handle(@Payload() _data: unknown, @Ctx() _context: unknown): void {}
}
const PLAIN: unknown = Reflect.getMetadata(PARAM_ARGS_METADATA, Plain, 'handle');

/**
 * Has Nest call the handlers with what the transport passes, which is what `@Payload()` and `@Ctx()` ask for. To read both
 * parameters through an empty list of pipes costs 12 of the 42 promises of a command, and 3 of 40 kB of garbage
 * (docs/decisions/0008). A handler that has a pipe, or other parameters, is left alone.
 *
 * @param app before it starts its microservices
 */
export function skipPipes(app: INestApplicationContext, controllers: Iterable<Type>): void {
  const config = app.get(ApplicationConfig);
  if (config.getGlobalPipes().length + config.getGlobalRequestPipes().length > 0) return;
  for (const controller of controllers) {
    const methods = controller.prototype as Readonly<Record<string, object>>;
    for (const name of Object.getOwnPropertyNames(methods)) {
      const isPlain = isDeepStrictEqual(Reflect.getMetadata(PARAM_ARGS_METADATA, controller, name), PLAIN);
      const isPiped = [controller, methods[name] as object].some((of) =>
        Reflect.hasMetadata(PIPES_METADATA, of),
      );
      if (isPlain && !isPiped) Reflect.defineMetadata(PARAM_ARGS_METADATA, {}, controller, name);
    }
  }
}
