/**
 * A text that occurs once in a file, its replacement, and the spec that must fail. Default: the spec beside
 * the file.
 */
type Mutation = readonly [find: string, replace: string, spec?: string];

/** The mutations of files, by the promises that they break. */
export type Mutations = Readonly<Record<string, Readonly<Record<string, Mutation>>>>;

/** The mutations of `libs/messaging`. */
export const MESSAGING_MUTATIONS: Mutations = {
  'libs/messaging/src/command/command.ts': {
    'what was registered before the checks runs at the end': [
      'this.atEnd((end) => opened.end(end));',
      '',
      'libs/messaging/src/pipeline/lanes.spec.ts',
    ],
    'a postponed report continues where it stopped': [
      "parseProgress(envelope.own['x-progress'])",
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
    'a start that was lost counts in the quarantine': [
      'if (run.delivery.isLost) this.#lost.add(start);',
      '',
      'libs/messaging/src/pipeline/quarantine-survivals.spec.ts',
    ],
  },
  'libs/messaging/src/replies/forwarding-round.ts': {
    'parked replies of a queue keep their order': [
      '!destination.isCut && !destination.isClosed',
      '!destination.isClosed',
    ],
    'a round holds a limited number of bytes': ['if (areTooLarge || !this.#held', 'if (!this.#held'],
  },
};
