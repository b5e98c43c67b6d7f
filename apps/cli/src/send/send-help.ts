import { COMMANDS } from '#contracts/validation';

const LONGEST_LINE = 110;

/** The part of `send --help` that lists every command with its purpose and an example. */
export function sendHelp(): string {
  const width = Math.max(...COMMANDS.map(({ type }) => type.length));
  const types = COMMANDS.map(({ type, summary }) => `  ${type.padEnd(width)}  ${summary}`);
  const examples = COMMANDS.map(({ type, examples: [example] }) => exampleOf(type, example?.data));
  return `
TYPE is one of:
${types.join('\n')}
docs/messages.md lists the members of each.

Examples:
${examples.join('\n')}
  $ poker-bridge send game.open --data @table.json --operator casino
  $ echo '{"player":{"id":"alice"}}' | poker-bridge send game.open --data - --deadline-ms 3000

Settings: AMQP_URL, AMQP_PREFIX, AMQP_TLS_CA, AMQP_TLS_CERT, AMQP_TLS_KEY.`;
}

function exampleOf(type: string, data: unknown): string {
  const [start, option] = [`  $ poker-bridge send ${type}`, `--data '${JSON.stringify(data)}'`];
  const line = `${start} ${option}`;
  return line.length <= LONGEST_LINE ? line : `${start} \\\n      ${option}`;
}
