import type { PlatformLimits } from '#platform';
import type { Settings } from '#settings';

/** The limits of the calls for each operator. */
export function platformLimitsOf(settings: Settings): PlatformLimits {
  return {
    attemptTimeoutMs: settings.PLATFORM_ATTEMPT_TIMEOUT_MS,
    maxAttempts: settings.PLATFORM_MAX_ATTEMPTS,
    connections: settings.PLATFORM_CONNECTIONS,
    queue: settings.PLATFORM_QUEUE,
    circuit: {
      failureRate: settings.CIRCUIT_FAILURE_RATE,
      minimumCalls: settings.CIRCUIT_MINIMUM_CALLS,
      windowMs: settings.CIRCUIT_WINDOW_MS,
      openMs: settings.CIRCUIT_OPEN_MS,
    },
  };
}
