import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';

/**
 * The handler takes the data and the command as the transport hands them over, in this order. They have been checked
 * before, so that the pipes that Nest keeps for each parameter, a dozen promises a command, would find nothing to do.
 */
export const AsDelivered = (): MethodDecorator => (target, name) =>
  Reflect.defineMetadata(ROUTE_ARGS_METADATA, {}, target.constructor, name);
