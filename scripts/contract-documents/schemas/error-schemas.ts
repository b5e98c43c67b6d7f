import {
  ERROR_CODES,
  type ErrorBody,
  type ErrorCategory,
  type PlatformAnswer,
  type PlatformErrorEntry,
  type Violation,
} from '#contracts';

import { boolean, count, type Definitions, moment, openObject, reference, text } from './json-schema.ts';

const CATEGORIES: readonly ErrorCategory[] = [
  'invalid',
  'expired',
  'misconfigured',
  'rejected',
  'unavailable',
  'uncertain',
  'internal',
];

/** The error body and what it is made of. */
export const ERROR_SCHEMAS: Definitions = {
  'command.failed': openObject<ErrorBody>(
    {
      members: {
        code: { type: 'string', enum: Object.keys(ERROR_CODES), description: 'Decide by this.' },
        category: { type: 'string', enum: CATEGORIES, description: 'The kind of failure.' },
        retryable: boolean('Whether sending the same command again can succeed without anyone changing it.'),
        message: text('A sentence for people.'),
        retryAfterMs: count('Milliseconds, where a wait is known.'),
        violations: { type: 'array', items: reference('Violation') },
        details: reference('ErrorDetails'),
        platform: reference('PlatformAnswer'),
        attempts: count('Calls to the platform by this worker for this command.'),
        command: {
          type: 'object',
          required: ['id', 'type'],
          properties: { id: text("The command's id."), type: text('As sent; may be no known type.') },
        },
        occurredAt: moment('UTC.'),
      },
      optional: { retryAfterMs: true, violations: true, details: true, platform: true },
    },
    { description: 'The error body; it is always final.' },
  ),
  Violation: openObject<Violation>({
    members: {
      pointer: text('JSON pointer into the data, into /properties or into /headers.'),
      message: text('What is wrong with it; never the value.'),
    },
    optional: {},
  }),
  ErrorDetails: {
    type: 'object',
    description: 'What else is known; further members may come.',
    properties: {
      bytes: count('Size of the body.'),
      maxBytes: count('The largest that is taken.'),
      maxLength: count("The platform's limit of a nickname, in its own count."),
      called: boolean('Whether the platform was called.'),
      reason: text('Why there was no answer, or what is wrong with it.'),
      earlierAttemptUnknown: boolean('An earlier attempt of this command was sent and not answered.'),
    },
  },
  PlatformAnswer: openObject<PlatformAnswer>({
    members: {
      status: { type: 'integer', minimum: 100, maximum: 599, description: 'The HTTP status.' },
      errors: { type: 'array', items: reference('PlatformError') },
    },
    optional: {},
  }),
  PlatformError: openObject<PlatformErrorEntry>({
    members: {
      status: { type: 'integer' },
      title: text(),
      detail: text('At most 300 characters; what the command carried is blanked out as ***.'),
      pointer: text(),
    },
    optional: { status: true, title: true, detail: true, pointer: true },
  }),
};
