import { defineReply } from '../definition/define-reply.ts';
import { ErrorBody } from './error-body.ts';

/** The reply to every command that fails. All of it is announced: an error holds neither secrets nor values of the command. */
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
