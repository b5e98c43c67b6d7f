import type { ErrorCategory } from '#contracts';

// Texts shared by the console and the health endpoints: who acts, and the state of RabbitMQ and Redis.

export const WORKER_PEOPLE = 'the people who run the worker';
export const PLATFORM_PEOPLE = 'the people who run the platform: tell them; calls continue by themselves';
export const BROKER_PEOPLE =
  'the people who run RabbitMQ; workers continue by themselves, and nothing is lost';
export const REDIS_PEOPLE = 'the people who run Redis; commands are answered all the same';

export const BROKER_BLOCKED = 'RabbitMQ accepts no messages, so no reply leaves';
export const REDIS_AWAY = 'Redis is away: each worker recognizes only its own repeats';

/** Who can act on a failure. Source: docs/errors.md. */
export const WHO_ACTS: Readonly<Record<ErrorCategory, string>> = {
  invalid: "the caller's developer",
  rejected: 'the caller, or the player',
  misconfigured: WORKER_PEOPLE,
  unavailable: 'the caller, later',
  uncertain: 'the caller, with care',
  expired: 'the caller',
  internal: WORKER_PEOPLE,
};
