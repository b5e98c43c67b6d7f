import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';

/**
 * The handler takes the data and the command as the transport passes them, in this order. Both are validated already, so
 * that Nest's pipes for each parameter, a dozen promises a command, would have nothing to do.
 */
export const AsDelivered = (): MethodDecorator => (target, name) =>
  Reflect.defineMetadata(ROUTE_ARGS_METADATA, {}, target.constructor, name);
