import { MESSAGING_MUTATIONS, type Mutations } from './list-messaging.ts';

/** The mutations of each file, by the promises that they break. */
export const MUTATIONS: Mutations = {
  ...MESSAGING_MUTATIONS,
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
      "state === 'half-open' && !retryAfterMs",
      "state === 'half-open'",
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
