import { COMMAND_TYPES } from '#contracts';

import { ERROR_EXAMPLES } from './error-examples.ts';
import { COMMAND_EXAMPLES, type Example, EXAMPLE_ID, REPLY_EXAMPLES } from './message-examples.ts';

/** Packets of Nest's own RabbitMQ client, one for each command. */
const PACKET_EXAMPLES: readonly Example[] = COMMAND_TYPES.map((type) => {
  const { headers = {}, payload: data } = COMMAND_EXAMPLES[type]?.[0] ?? {};
  return {
    name: type,
    summary: `client.send('${type}', …)`,
    headers,
    payload: { pattern: type, data, id: EXAMPLE_ID },
  };
});

/** Packets that answer them: one for each reply, and a failure. */
const PACKET_REPLY_EXAMPLES: readonly Example[] = [
  ...Object.entries(REPLY_EXAMPLES).flatMap(([type, [first]]) =>
    first === undefined ? [] : [packetOf(type, first)],
  ),
  ...ERROR_EXAMPLES.filter(({ name }) => name === 'VALIDATION_FAILED').map(
    ({ summary, headers, payload }) => ({
      name: 'command.failed',
      summary,
      headers,
      payload: { err: payload, isDisposed: true, id: EXAMPLE_ID },
    }),
  ),
];

/** Examples of each message by the name of its schema. */
export const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  ...COMMAND_EXAMPLES,
  ...REPLY_EXAMPLES,
  'command.failed': ERROR_EXAMPLES,
  'nest.command': PACKET_EXAMPLES,
  'nest.reply': PACKET_REPLY_EXAMPLES,
};

function packetOf(type: string, { summary, headers, payload }: Example): Example {
  const isLast = headers['final'] === true;
  const packet = { response: payload, ...(isLast && { isDisposed: true }), id: EXAMPLE_ID };
  return { name: type, summary, headers, payload: packet };
}
