const BROKER = 'AMQP_URL, AMQP_PREFIX, AMQP_TLS_CA, AMQP_TLS_CERT, AMQP_TLS_KEY';
const SETTINGS = `Settings: ${BROKER}.`;
const KEYED = `Settings: ${BROKER},
and INTERNAL_KEY or all settings of the operators, as the workers have them.`;

/** The ends of the help texts. */
export const DEAD_LETTERS_EXAMPLES = {
  list: `
Examples:
  $ poker-bridge dead-letters list
  $ poker-bridge dead-letters list --reason PLATFORM_UNAVAILABLE --since 12h
  $ poker-bridge dead-letters list --json | jq -r .id

${SETTINGS}`,
  redrive: `
Examples:
  $ poker-bridge dead-letters redrive --reason PLATFORM_UNAVAILABLE --rate 5
  $ poker-bridge dead-letters redrive --id 4711 --set /session/lang=de
  $ poker-bridge dead-letters redrive --reason UNKNOWN_OPERATOR --force --dry-run

Tells what it is about to do, and asks. What is wrong with a command itself would fail again, and is left unless it
is changed or forced. Ends with 1 if anything that was chosen is left.

${KEYED}`,
  discard: `
Examples:
  $ poker-bridge dead-letters discard --reason MALFORMED_MESSAGE
  $ poker-bridge dead-letters discard --caller shop --since 2026-03-01 --dry-run

${SETTINGS}`,
} as const;

export const REPLIES_EXAMPLES = {
  list: `
Examples:
  $ poker-bridge replies list
  $ poker-bridge replies list --queue shop.replies

${SETTINGS}`,
  redeliver: `
Examples:
  $ poker-bridge replies redeliver --queue shop.replies
  $ poker-bridge replies redeliver --all --yes

Workers do this by themselves, within ten seconds after the queue exists. Ends with 1 if anything that was chosen is left.

${KEYED}`,
  discard: `
Examples:
  $ poker-bridge replies discard --reason EVENT_REFUSED

${SETTINGS}`,
} as const;
