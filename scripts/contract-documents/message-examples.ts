import { COMMANDS, REPLIES } from '#contracts/validation';

/** One example of a message: its body, and the headers that it travels with. */
export interface Example<T = unknown> {
  readonly name: string;
  readonly summary: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly payload: T;
}

export const EXAMPLE_ID = '0197a3f2-6c1e-7b54-9d0a-2f6b8f1c4e11';
export const EXAMPLE_MOMENT = '2026-01-31T12:00:00.000Z';

/** Commands as a caller sends them. */
export const COMMAND_EXAMPLES: Readonly<Record<string, readonly Example[]>> = Object.fromEntries(
  COMMANDS.map(({ type, examples }) => [
    type,
    examples.map(({ name, summary, headers = {}, data }) => ({ name, summary, headers, payload: data })),
  ]),
);

/** Replies that are successes, as a worker sends them. */
export const REPLY_EXAMPLES: Readonly<Record<string, readonly Example[]>> = Object.fromEntries(
  [...REPLIES.values()]
    .filter(({ examples }) => examples.length > 0)
    .map(({ type, final, examples }) => [
      type,
      examples.map(({ name, summary, headers, data }) => ({
        name,
        summary,
        headers: { ...replyHeaders(commandOf(type), 0, final), ...headers },
        payload: data as unknown,
      })),
    ]),
);

/** The headers of a reply. Source: bus contract, section 3. */
export function replyHeaders(type: string, sequence: number, final: boolean): Record<string, unknown> {
  return {
    'command-id': EXAMPLE_ID,
    'command-type': type,
    sequence,
    final,
    'schema-version': 1,
  };
}

/** The first command that is answered so. */
function commandOf(reply: string): string {
  return COMMANDS.find(({ replies }) => replies.some(({ type }) => type === reply))?.type ?? '';
}
