import type { Lane } from '#contracts';

/** The settings of the bus, named like their variables (docs/settings.md). */
export interface MessagingSettings {
  readonly AMQP_URL: readonly string[];
  readonly AMQP_PREFIX: string;
  readonly LANES: readonly Lane[];
  readonly INTERACTIVE_PREFETCH: number;
  readonly REPORTS_PREFETCH: number;
  readonly INTERACTIVE_DEADLINE_MS: number;
  readonly REPORTS_DEADLINE_MS: number;
  readonly REPORTS_STALL_MS: number;
  /** The delays of the retry queues, in ascending order. */
  readonly REPORTS_RETRY_DELAYS_MS: readonly number[];
  readonly MAX_COMMAND_BYTES: number;
  readonly DELIVERY_LIMIT: number;
  /** The time limit of one platform call, after which the quarantine no longer waits for a command. */
  readonly PLATFORM_ATTEMPT_TIMEOUT_MS: number;
  readonly SHUTDOWN_GRACE_MS: number;
  readonly EVENTS: 'errors' | 'all' | 'none';
  readonly IDEMPOTENCY_TTL_MS: number;
  /** Default: each worker deduplicates on its own. */
  readonly REDIS_URL?: string | undefined;
}
