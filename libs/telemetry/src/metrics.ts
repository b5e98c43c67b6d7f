import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';

import { Durations } from './durations.ts';
import { PlainMetric } from './plain-metric.ts';
import { PlainNumber } from './plain-number.ts';

/**
 * The metrics of a worker, in a registry of its own. Source of the names: bus contract, section 8. What every command
 * counts is a plain metric.
 */
export class Metrics {
  readonly registry = new Registry();

  readonly commands = new PlainMetric(PlainNumber, {
    name: 'poker_commands_total',
    type: 'counter',
    help: 'Final replies, by command type and outcome: success or the error code.',
    labelNames: ['type', 'outcome'],
    registry: this.registry,
  });
  readonly commandDuration = new PlainMetric(Durations, {
    name: 'poker_command_duration_seconds',
    type: 'histogram',
    help: 'From the receipt of a command to its acknowledgement.',
    labelNames: ['type'],
    registry: this.registry,
  });
  readonly commandsInFlight = new PlainMetric(PlainNumber, {
    name: 'poker_commands_in_flight',
    type: 'gauge',
    help: 'Commands in hand, by lane.',
    labelNames: ['lane'],
    registry: this.registry,
  });
  readonly platformRequests = new PlainMetric(PlainNumber, {
    name: 'poker_platform_requests_total',
    type: 'counter',
    help: 'Calls to the platform, by operation and result: the class of the status, or what went wrong.',
    labelNames: ['operation', 'result'],
    registry: this.registry,
  });
  readonly platformRequestDuration = new PlainMetric(Durations, {
    name: 'poker_platform_request_duration_seconds',
    type: 'histogram',
    help: 'Of one call to the platform.',
    labelNames: ['operation', 'result'],
    registry: this.registry,
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
    help: 'Replies and announcements that nobody took and that were parked.',
    registers: [this.registry],
  });
  readonly forwardedReplies = new Counter({
    name: 'poker_replies_forwarded_total',
    help: 'Parked replies that went on to their queue.',
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
