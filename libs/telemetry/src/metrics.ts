import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';

import { Durations } from './durations.ts';
import { PlainMetric } from './plain-metric.ts';
import { PlainNumber } from './plain-number.ts';

/**
 * The metrics of a worker, in their own registry. Source of the names: bus contract, section 8. Metrics that every
 * command updates are plain metrics.
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
    help: 'Commands in flight, by lane.',
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
    help: 'Duration of one call to the platform.',
    labelNames: ['operation', 'result'],
    registry: this.registry,
  });
  readonly compartmentInFlight = new PlainMetric(PlainNumber, {
    name: 'poker_compartment_in_flight',
    type: 'gauge',
    help: "Players' commands in flight, by operator and operation; of reports, their calls.",
    labelNames: ['operator', 'operation'],
    registry: this.registry,
  });
  readonly compartmentWaiting = new PlainMetric(PlainNumber, {
    name: 'poker_compartment_waiting',
    type: 'gauge',
    help: 'Those of them that wait for a connection to the platform.',
    labelNames: ['operator', 'operation'],
    registry: this.registry,
  });
  readonly compartmentOverflowed = new PlainMetric(PlainNumber, {
    name: 'poker_compartment_overflowed_total',
    type: 'counter',
    help: 'Commands that were OVERLOADED because their compartment held its share of the lane.',
    labelNames: ['operator', 'operation'],
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
    help: 'Retries of calls to the platform.',
    registers: [this.registry],
  });
  readonly signatureDoubts = new Counter({
    name: 'poker_platform_signature_doubts_total',
    help: 'Answers that may mean a wrong signature, though they do not say so.',
    labelNames: ['operator', 'operation'],
    registers: [this.registry],
  });
  readonly replays = new Counter({
    name: 'poker_replays_total',
    help: 'Commands that were answered with the stored reply of an earlier one with the same identity.',
    registers: [this.registry],
  });
  readonly deadLetters = new Counter({
    name: 'poker_dead_letters_total',
    help: 'Commands that were dead-lettered.',
    registers: [this.registry],
  });
  readonly undeliveredReplies = new Counter({
    name: 'poker_replies_undelivered_total',
    help: 'Replies and announcements that could not be delivered and were parked.',
    registers: [this.registry],
  });
  readonly forwardedReplies = new Counter({
    name: 'poker_replies_forwarded_total',
    help: 'Parked replies that were delivered later.',
    registers: [this.registry],
  });
  readonly brokerConnected = new Gauge({
    name: 'poker_broker_connected',
    help: '1 while both connections to the broker are open, else 0.',
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }
}
