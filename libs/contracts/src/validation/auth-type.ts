import { IsIn } from 'class-validator';

/** How a player logs in: from a browser, or from the desktop or mobile app. Source: interface document, endpoint 1. */
export const AUTH_TYPES = ['external', 'internal'] as const;
export type AuthType = (typeof AUTH_TYPES)[number];

/** One of `AUTH_TYPES`. */
export const IsAuthType = (): PropertyDecorator =>
  IsIn(AUTH_TYPES, { message: `must be one of ${AUTH_TYPES.join(', ')}` });
