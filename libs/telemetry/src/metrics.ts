import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 600];

/** The metrics of a worker, in a registry of its own. Source of the names: bus contract, section 8. */
export class Metrics {
  readonly registry = new Registry();

  readonly commands = new Counter({
    name: 'poker_commands_total',
    help: 'Final replies, by command type and outcome: success or the error code.',
    labelNames: ['type', 'outcome'],
    registers: [this.registry],
  });
  readonly commandDuration = new Histogram({
    name: 'poker_command_duration_seconds',
    help: 'From the receipt of a command to its acknowledgement.',
    labelNames: ['type'],
    buckets: SECONDS,
    registers: [this.registry],
  });
  readonly commandsInFlight = new Gauge({
    name: 'poker_commands_in_flight',
    help: 'Commands in hand, by lane.',
    labelNames: ['lane'],
    registers: [this.registry],
  });
  readonly platformRequests = new Counter({
    name: 'poker_platform_requests_total',
    help: 'Calls to the platform, by operation and result: the class of the status, or what went wrong.',
    labelNames: ['operation', 'result'],
    registers: [this.registry],
  });
  readonly platformRequestDuration = new Histogram({
    name: 'poker_platform_request_duration_seconds',
    help: 'Of one call to the platform.',
    labelNames: ['operation', 'result'],
    buckets: SECONDS,
    registers: [this.registry],
  });
  readonly circuitState = new Gauge({
    name: 'poker_circuit_state',
    help: '0 closed, 1 half-open, 2 open.',
    labelNames: ['operator', 'operation'],
    registers: [this.registry],
  });
  readonly platformRetries = new Counter({
    name: 'poker_platform_retries_total',
    help: 'Calls to the platform that repeat one which failed in passing.',
    registers: [this.registry],
  });
  readonly replays = new Counter({
    name: 'poker_replays_total',
    help: 'Commands that were answered with the reply of an earlier one of the same identity.',
    registers: [this.registry],
  });
  readonly deadLetters = new Counter({
    name: 'poker_dead_letters_total',
    help: 'Commands that were put among the dead letters.',
    registers: [this.registry],
  });
  readonly undeliveredReplies = new Counter({
    name: 'poker_replies_undelivered_total',
    help: 'Replies and events that nobody took and that were kept.',
    registers: [this.registry],
  });
  readonly brokerConnected = new Gauge({
    name: 'poker_broker_connected',
    help: '1 while both connections to the broker stand, else 0.',
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }
}
