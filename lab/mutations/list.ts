/**
 * A text that occurs once in a file, its replacement, and the spec that must fail. Default: the spec beside
 * the file.
 */
type Mutation = readonly [find: string, replace: string, spec?: string];

/** The mutations of each file, by the promises that they break. */
export const MUTATIONS: Readonly<Record<string, Readonly<Record<string, Mutation>>>> = {
  'libs/signing/src/sign.ts': {
    'the secret key is appended to the canonical string': [
      "hash('sha256', text + secretKey)",
      "hash('sha256', secretKey + text)",
    ],
    'excluded names are removed at the top level alone, unless settings say otherwise': [
      "return (isTop || exclude === 'deep') && EXCLUDED_NAMES.has(name);",
      'return EXCLUDED_NAMES.has(name);',
    ],
    'names are sorted by the bytes of their UTF-8': [
      'if (!names.some((name) => SURROGATE.test(name))) return names;',
      'return names;',
    ],
    'SIGNATURE_SCALARS=json signs true, false and null by name': [
      "if (scalars === 'json') return String(value);",
      '',
    ],
    'strings of JSON are decoded before they are signed': [
      "if (decoded !== value) return walk(decoded, 'decoded');",
      '',
    ],
    'SIGNATURE_OPEN_GAME_CLIENT=drop leaves the client out': [
      "if (isTop && name === 'client') return openGameClient === 'drop';",
      '',
    ],
  },
  'libs/resilience/src/retry/retry.ts': {
    'a call has at most PLATFORM_MAX_ATTEMPTS attempts': ['this.count >= maxAttempts ||', ''],
    'a call that creates something is repeated once after an unknown outcome': ['|| !mayRepeat', ''],
    'a retry waits as long as the platform asks': ['(last.retryAfterMs ?? 0) + backoffMs', 'backoffMs'],
    'no retry starts after the deadline': ['pauseMs < remainingMs && ', ''],
    'the retry budget limits retries': ['if (isAvailable) this.#tokens -= 1;', ''],
  },
  'libs/resilience/src/retry/retry-after.ts': {
    'a Retry-After that is no HTTP date is ignored': ['if (!HTTP_DATE.test(value)) return undefined;', ''],
    'a Retry-After is capped at a day': ['return Math.min(number * 1000, MAX_MS);', 'return number * 1000;'],
  },
  'libs/resilience/src/deadline.ts': {
    'the remaining time is never negative': [
      'Math.max(0, this.#endsAtMs - this.clock())',
      'this.#endsAtMs - this.clock()',
    ],
  },
  'libs/resilience/src/circuit/circuit.ts': {
    'an answer about the command itself does not count for the circuit': [
      "if (health === 'ignored') return;",
      '',
    ],
    'a half-open circuit lets one probe through at a time': ['this.#isProbing = this.#opossum.halfOpen;', ''],
    'a call that started before the circuit opened does not count': ['if (pass !== this.#pass) return;', ''],
  },
  'libs/messaging/src/command/command.ts': {
    'what was registered before the checks runs at the end': [
      'this.atEnd((end) => opened.end(end));',
      '',
      'libs/messaging/src/pipeline/lanes.spec.ts',
    ],
  },
  'libs/messaging/src/pipeline/refuse.ts': {
    'a postponed report continues where it stopped': [
      'progress === undefined ? undefined : parseProgress(progress)',
      'undefined',
      'libs/messaging/src/pipeline/reports.spec.ts',
    ],
  },
  'libs/messaging/src/pipeline/resume.ts': {
    'a report that another worker postponed resumes there': [
      'before.command.replies.sequence >= replies.sequence;',
      'true;',
      'libs/messaging/src/pipeline/reports.spec.ts',
    ],
  },
  'libs/messaging/src/replies/outbox.ts': {
    'a reply to a queue that is known to be full is published once': [
      'known ? outcome : this.',
      'this.',
      'libs/messaging/src/pipeline/lanes.spec.ts',
    ],
  },
  'libs/messaging/src/pipeline/deduplicate.ts': {
    'a redriven command is run again': [
      "if (own['x-redriven'] !== undefined)",
      'if (own === undefined)',
      'libs/messaging/src/pipeline/lanes.spec.ts',
    ],
  },
  'libs/messaging/src/pipeline/postpone.ts': {
    'only a report whose platform is unavailable is postponed': [
      "if (failure?.category !== 'unavailable') return settlement;",
      '',
      'libs/messaging/src/pipeline/reports.spec.ts',
    ],
    'no report waits beyond its deadline': [
      'Math.max(delayMs, retryAfterMs) < remainingMs',
      'delayMs < remainingMs',
    ],
  },
  'libs/messaging/src/command/settlement.ts': {
    'a command that people have to repair is a dead letter': [
      "isForPeople ? { kind: 'dead-letter', reply, cause } : ",
      '',
      'libs/messaging/src/pipeline/lanes.spec.ts',
    ],
    'a command whose reply is not confirmed is requeued': [
      'if (thrown instanceof UnconfirmedError || thrown instanceof Abandoned)',
      'if (thrown instanceof Abandoned)',
      'libs/messaging/src/pipeline/lanes.spec.ts',
    ],
  },
  'libs/messaging/src/idempotency/memory-idempotency-store.ts': {
    'another command under a running id is refused': [
      "if (!isSame(running.asked, asked)) return { kind: 'conflict' };",
      '',
      'libs/messaging/src/pipeline/lanes.spec.ts',
    ],
    'an outcome that replaces another one is counted once': ['if (stored) this.#drop(log, identity);', ''],
    'an outcome is kept for IDEMPOTENCY_TTL_MS': [
      'if (stored && untilMsOf(stored) > this.#nowMs()) {',
      'if (stored) {',
    ],
  },
  'libs/messaging/src/envelope/read-deadline.ts': {
    'a timestamp in the future does not lengthen the deadline': [
      'Math.min(sentAtMs, nowMs) + budgetMs',
      'sentAtMs + budgetMs',
    ],
    'a duration as x-deadline is refused': [
      "if (typeof number === 'number' && number < LEAST_EPOCH_MS) return { rule: ruleFor(number) };",
      '',
    ],
  },
  'libs/messaging/src/envelope/open-envelope.ts': {
    'x-cancel-with-queue must be a boolean': [
      "if (typeof cancels !== 'boolean') violate('/headers/x-cancel-with-queue', 'a boolean');",
      '',
    ],
    'the header operator must be a string': [
      "if (operator === undefined) violate('/headers/operator', 'a string');",
      '',
    ],
  },
  'libs/messaging/src/envelope/seal.ts': {
    'headers of the service are believed with their seal alone': [
      'if (!all.some(({ headers: key }) => timingSafeEqual(given, Buffer.from(codeOf(key, message))))) return NONE;',
      '',
    ],
  },
  'libs/messaging/src/operator/kept-message.ts': {
    'a dead letter says why it was kept': ["text(headers['x-reason']) ?? ", ''],
  },
  'libs/messaging/src/operator/redriver.ts': {
    'a dead letter with a forged origin is not proved': [
      " || headers['x-origin-user-id'] !== undefined",
      '',
      'libs/messaging/src/golden-messages.spec.ts',
    ],
  },
  'libs/messaging/src/pipeline/quarantine.ts': {
    'a start that was lost counts in the quarantine': ['if (run.delivery.isLost) this.#lost.add(start);', ''],
  },
  'libs/messaging/src/replies/forwarding-round.ts': {
    'parked replies of a queue keep their order': [
      '!destination.isCut && !destination.isClosed',
      '!destination.isClosed',
    ],
    'a round holds a limited number of bytes': ['if (areTooLarge || !this.#held', 'if (!this.#held'],
  },
  'libs/rabbitmq/src/amqplib/acknowledgements.ts': {
    'gathered acknowledgements are sent as one': [
      "if (last !== undefined) this.#send('ack', last, true);",
      '',
    ],
  },
  'libs/rabbitmq/src/consuming/delivery.ts': {
    'deliveries are counted as RabbitMQ 4.3 counts them': [
      "isFrom43 ? Math.min(delivered, this.#count('x-acquired-count')) : delivered",
      'delivered',
    ],
  },
  'libs/rabbitmq/src/publishing/confirmed-publisher.ts': {
    'a message is published a limited number of times': ['publish.tries >= MAX_TRIES || ', ''],
  },
  'libs/rabbitmq/src/publishing/isolated-publisher.ts': {
    'a limited number of destinations is probed at once': [
      'isKnown || this.#asked.size >= MAX_ASKED',
      'isKnown',
    ],
  },
  'libs/platform/src/errors/redactor.ts': {
    'a pointer of the platform shows no value of the command': [
      'if (this.redact(pointer) === pointer) return pointer;',
      'return pointer;',
    ],
  },
  'libs/platform/src/transport/dns-cache.ts': {
    'an address is used for ten minutes while a resolution hangs': ['if (ageMs > OLDEST_MS) return;', ''],
    'an address is used for ten minutes if a resolution fails': [
      'nowMs - host.resolvedAtMs <= OLDEST_MS',
      'true',
    ],
    'a fresh address is not resolved again': [
      'if (ageMs <= FRESH_MS) return resolved(null, host.addresses);',
      '',
    ],
  },
  'libs/platform/src/answers/read-collection.ts': {
    'a record has a largest size': [
      "if (start !== -1 && at - start > MAX_RECORD) throw new UnexpectedDocument('a record is too large');",
      '',
    ],
  },
  'libs/settings/src/cleartext.ts': {
    'cleartext connections beyond this machine end the start': [
      'if (faults.size > 0) throw new SettingsError([...faults.values()]);',
      '',
    ],
    'NODE_TLS_REJECT_UNAUTHORIZED=0 ends the start': [
      "if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0')",
      'if (environment === undefined)',
    ],
  },
  'libs/settings/src/read-callers.ts': {
    'CALLERS_FILE names commands that exist': [
      'if (unknown) throw FILE.fault',
      "if (unknown === '') throw FILE.fault",
    ],
  },
  'libs/contracts/src/validation/member-rules.ts': {
    'texts have no control characters': [
      'return PRINTABLE.test(text) && text.isWellFormed();',
      'return text.isWellFormed();',
      'libs/contracts/src/commands/members.spec.ts',
    ],
    'names in pointers are escaped': [
      "short.toWellFormed().replaceAll('~', '~0')",
      'short.toWellFormed()',
      'libs/contracts/src/commands/validate-command.spec.ts',
    ],
  },
  'libs/caller/src/retries.ts': {
    'the caller waits for retryAfterMs': ['(error.retryAfterMs ?? 0) + backoffMs', 'backoffMs'],
    'the caller retries only what is retryable': ['|| !error.retryable', ''],
  },
  'libs/caller/src/replies.ts': {
    'a reply is handled once': ['if (this.#handled.has(reply.id)) return;', ''],
  },
  'apps/worker/src/commands/report-fetch/report-tally.ts': {
    'report.completed counts repeated records': [
      "if (seen !== 'new') state.repeats += 1;",
      '',
      'apps/worker/src/commands/report-fetch/report-fetch.controller.spec.ts',
    ],
  },
  'apps/worker/src/commands/report-fetch/seen-ids.ts': {
    'beyond its limit, ids are sampled': ["if ((first & this.#sample) !== 0) return 'new';", ''],
  },
  'apps/cli/src/report/facts.ts': {
    'a change that is undone before the last page is noticed': [
      'this.hasChanged ||= extentsDiffer',
      'this.hasChanged = extentsDiffer',
      'apps/cli/src/report/summary.spec.ts',
    ],
  },
  'apps/worker/src/platform-state.ts': {
    'the reports lane pauses while every circuit probes': [
      "return state !== 'open' && retryAfterMs === 0;",
      "return state !== 'open';",
    ],
  },
  'libs/telemetry/src/describe-error.ts': {
    'the stack in the log is bounded': ['frames.slice(0, MAX_FRAMES)', 'frames'],
  },
  'apps/sandbox/src/signature/signature.ts': {
    'the sandbox signs open-game as its client is set': [
      "if (conventions.openGameClient === 'drop') delete top.client;",
      '',
    ],
  },
};
