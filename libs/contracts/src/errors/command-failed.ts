import { defineReply } from '../definition/define-reply.ts';
import { ErrorBody } from './error-body.ts';

/** The reply of every command that fails. It is announced whole: an error holds neither secrets nor values of the command. */
export const commandFailed = defineReply({
  type: 'command.failed',
  summary: 'The error body; it is always final.',
  data: ErrorBody,
  final: true,
  announced: [
    'code',
    'category',
    'retryable',
    'message',
    'retryAfterMs',
    'violations',
    'details',
    'platform',
    'attempts',
    'command',
    'occurredAt',
  ],
  examples: [],
});
