import { collectDefaultMetrics, Registry } from 'prom-client';

import { Durations, PlainMetric, PlainNumber } from './plain-metric.ts';
import { type MetricFacts, StateMetric } from './state-metric.ts';

/**
 * The sampling interval of the event loop delay. Each sample wakes the process, and each figure includes the
 * interval.
 */
const LAG_EVERY_MS = 50;

/**
 * The metrics of a worker, in their own registry. Source of the names: bus contract, section 8. Metrics that
 * every command updates are plain metrics; metrics of existing state are read from it at each scrape.
 */
export class Metrics {
  readonly registry = new Registry();

  readonly commands = this.#plain(`poker_commands_total{type,outcome}
    Final replies, by command type and outcome: success or the error code.`);
  readonly commandsFailed = this.#plain(`poker_commands_failed_total{type,category}
    Those of them that are failures, by command type and category of the error code.`);
  readonly commandDuration = this.#timing(`poker_command_duration_seconds{type}
    From the receipt of a command to its acknowledgement.`);
  readonly commandWait = this.#timing(`poker_command_wait_seconds{lane}
    From the timestamp that a caller set to the first receipt of the command, in whole seconds.`);
  readonly commandsInFlight = this.#plain(`poker_commands_in_flight{lane}
    Commands in flight, by lane.`);
  readonly redeliveries = this.#plain(`poker_redeliveries_total{lane}
    Commands that the broker had delivered before, by lane.`);
  readonly commandsPostponed = this.#plain(`poker_commands_postponed_total{type,code}
    Commands that went to a retry queue, by command type and error code.`);
  readonly reportsCanceled = this.#plain(`poker_reports_canceled_total{type}
    Reports that ended because their callers deleted the reply queues, by command type.`);
  readonly commandsMoved = this.#plain(`poker_commands_moved_total{queue}
    Commands that were moved to their lane or to the quarantine, by queue.`);
  readonly commandsReturned = this.#plain(`poker_commands_returned_total{lane}
    Commands that went back to their queue, by lane.`);
  readonly consumersLost = this.#plain(`poker_consumers_lost_total{queue}
    Consumers that the broker ended while its connection stood, by queue.`);
  readonly platformRequests = this.#plain(`poker_platform_requests_total{operation,result}
    Calls to the platform, by operation and result: the class of the status, or what went wrong.`);
  readonly platformRequestDuration = this.#timing(`poker_platform_request_duration_seconds{operation,result}
    Duration of one call to the platform.`);
  readonly admissionWait = this.#timing(`poker_admission_wait_seconds{operation}
    How long calls waited for a connection to the platform, if they had to.`);
  readonly platformRefusals = this.#plain(`poker_platform_refusals_total{operation,reason}
    Calls that were not made, by operation and reason: the circuit was open, the platform
    overloaded, or the deadline passed.`);

  readonly ready = this.#state(`poker_ready
    1 while every lane consumes or is paused on purpose, as /health/ready says, else 0.`);
  readonly laneState = this.#state(`poker_lane_state{lane,state}
    1 for the state that a lane is in, 0 for the others.`);
  readonly lanePrefetch = this.#state(`poker_lane_prefetch{lane}
    The most commands that a lane takes at once.`);
  readonly oldestCommandAge = this.#state(`poker_oldest_command_age_seconds{lane}
    Since the receipt of the oldest command in flight, by lane; 0 if none is.`);
  readonly redisConnected = this.#state(`poker_redis_connected
    1 while deduplication is shared by way of Redis, else 0; absent without REDIS_URL.`);
  readonly compartmentInFlight = this.#state(`poker_compartment_in_flight{operator,operation}
    Players' commands in flight, by operator and operation; of reports, their calls.`);
  readonly compartmentWaiting = this.#state(`poker_compartment_waiting{operator,operation}
    Those of them that wait for a connection to the platform.`);
  readonly compartmentOverflowed = this.#state(`poker_compartment_overflowed_total{operator,operation}
    Commands that were OVERLOADED because their compartment held its share of the lane.`);
  readonly admissionInFlight = this.#state(`poker_admission_in_flight{operator,operation}
    Calls that hold a connection to the platform.`);
  readonly admissionInFlightLimit = this.#state(`poker_admission_in_flight_limit
    The most calls that may hold a connection, for each operator.`);
  readonly admissionWaitingLimit = this.#state(`poker_admission_waiting_limit
    The most calls that may wait for a connection, for each operator.`);
  readonly admissionLimit = this.#state(`poker_admission_limit{operator,operation}
    Calls that are made at once, at most: fewer if a platform answers later the more it is asked.`);
  readonly admissionOverloaded = this.#state(`poker_admission_overloaded{operator,operation}
    1 while calls are refused because more arrive than the platform answers, else 0.`);
  readonly platformCapacity = this.#state(`poker_platform_capacity{operator,operation}
    Calls a second that the platform can answer to this worker, as recent calls tell.`);
  readonly retryBudget = this.#state(`poker_retry_budget{operator,operation}
    Retries that are left, of 100; below 1 none is made.`);
  readonly circuitState = this.#state(`poker_circuit_state{operator,operation}
    0 closed, 1 half-open, 2 open.`);

  readonly circuitChanges = this.#plain(`poker_circuit_changes_total{operator,operation,state}
    Changes of a circuit, by the state that it changed to.`);
  readonly platformRetries = this.#number(`poker_platform_retries_total
    Retries of calls to the platform.`);
  readonly signatureDoubts = this.#plain(`poker_platform_signature_doubts_total{operator,operation}
    Answers that may mean a wrong signature, though they do not say so.`);
  readonly replays = this.#number(`poker_replays_total
    Commands that were answered with the stored reply of an earlier one with the same identity.`);
  readonly deadLetters = this.#number(`poker_dead_letters_total
    Commands that were dead-lettered.`);
  readonly pipelineErrors = this.#number(`poker_pipeline_errors_total
    Unexpected errors while a command was processed; each is a fault of the worker.`);
  readonly undeliveredReplies = this.#number(`poker_replies_undelivered_total
    Replies and announcements that could not be delivered and were parked.`);
  readonly droppedAnnouncements = this.#number(`poker_announcements_dropped_total
    Announcements that a full listener refused, and that were not parked because too many are.`);
  readonly forwardedReplies = this.#number(`poker_replies_forwarded_total
    Parked replies that were delivered later.`);
  readonly brokerConnected = this.#number(`poker_broker_connected
    1 while both connections to the broker are open, else 0.`);
  readonly brokerBlocked = this.#number(`poker_broker_blocked
    1 while an alarm of the broker blocks publishing, else 0.`);

  constructor() {
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: LAG_EVERY_MS });
  }

  #plain(text: string): PlainMetric<PlainNumber> {
    return new PlainMetric(PlainNumber, this.#facts(text));
  }

  #timing(text: string): PlainMetric<Durations> {
    return new PlainMetric(Durations, { ...this.#facts(text), type: 'histogram' });
  }

  /** A metric without labels, initially 0. */
  #number(text: string): PlainNumber {
    return this.#plain(text).labels();
  }

  #state(text: string): StateMetric {
    return new StateMetric(this.#facts(text));
  }

  /** By its name, a metric is a counter or a gauge.
   *
   * @param text the name with labels, `name{one,other}`, and the help text in further lines
   */
  #facts(text: string): MetricFacts {
    const [series = '', ...help] = text.split(/\n */);
    const [name = '', ...labelNames] = series.split(/[{,}]/).filter((part) => part !== '');
    const type = name.endsWith('_total') ? 'counter' : 'gauge';
    return { name, type, labelNames, help: help.join(' '), registry: this.registry };
  }
}
