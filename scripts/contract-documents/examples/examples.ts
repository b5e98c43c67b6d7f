import { ERROR_EXAMPLES } from './error-examples.ts';
import { COMMAND_EXAMPLES, type Example, REPLY_EXAMPLES } from './message-examples.ts';
import { PACKET_EXAMPLES, PACKET_REPLY_EXAMPLES } from './packet-examples.ts';

/** Examples of each message by the name of its schema. */
export const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  ...COMMAND_EXAMPLES,
  ...REPLY_EXAMPLES,
  'command.failed': ERROR_EXAMPLES,
  'nest.command': PACKET_EXAMPLES,
  'nest.reply': PACKET_REPLY_EXAMPLES,
};
