import { LANE_OF_COMMAND } from '#contracts';
import { COMMANDS, REPLIES } from '#contracts/validation';

import { EXAMPLES } from './message-examples.ts';
import type { JsonSchema } from './schemas/json-schema.ts';
import { DATA_SCHEMAS, membersOf, schemaName } from './schemas/schemas.ts';

/** The document with tables of messages, relative to the repository. */
export const MESSAGES_DOCUMENT = 'docs/messages.md';

/** The width of a line; Black would wrap longer ones in Python. */
export const MOST_COLUMNS = 110;

/**
 * Returns the document with its generated parts replaced, each between `<!-- contract: name -->` and `<!--
 * end of contract -->`.
 *
 * @throws Error for a part without a place in the document
 */
export function messagesDocument(document: string): string {
  const rows = COMMANDS.map(({ type, summary }) => [linked([{ type }]), LANE_OF_COMMAND[type], summary]);
  const commands = COMMANDS.map(({ type, summary, replies }) =>
    section(type, `${summary}\n\nAnswered with ${linked(replies)}.`, 'Required'),
  );
  const replies = [...REPLIES.values()].map(({ type, summary }) => section(type, summary, 'Always'));
  const parts = {
    lanes: table(['Command', 'Lane', 'For'], rows),
    commands: commands.join('\n\n'),
    replies: replies.join('\n\n'),
  };
  return Object.entries(parts).reduce((text, [name, part]) => {
    const place = new RegExp(`(?<=<!-- contract: ${name} -->\n).*?(?=\n<!-- end of contract -->)`, 's');
    if (!place.test(text)) throw new Error(`${MESSAGES_DOCUMENT} has no place for ${name}`);
    return text.replace(place, () => `\n${part}\n`);
  }, document);
}

function section(type: string, summary: string, presence: string): string {
  const rows = membersOf(DATA_SCHEMAS[schemaName(type)]).map(({ path, isRequired, own, held }) => [
    `\`${path.join('.').replaceAll('.*', '[]')}\``,
    [held.type].flat().join(' or '),
    isRequired ? 'yes' : 'no',
    meaningOf(own),
  ]);
  const [example] = EXAMPLES[type] ?? [];
  return [
    `### \`${type}\``,
    summary,
    table(['Member', 'Type', presence, 'Meaning'], rows),
    `\`\`\`json\n${filled(JSON.stringify(example?.payload, null, 1).split(/\n */), '  ')}\n\`\`\``,
  ].join('\n\n');
}

/** Wraps words into lines; every line except the first is indented. */
export function filled([first = '', ...words]: readonly string[], indent: string): string {
  let line = first;
  let text = '';
  for (const word of words) {
    if (line.length + word.length < MOST_COLUMNS) line += ` ${word}`;
    else {
      text += `${line}\n`;
      line = indent + word;
    }
  }
  return text + line;
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return lines.join('\n');
}

function linked(messages: readonly { readonly type: string }[]): string {
  return messages.map(({ type }) => `[\`${type}\`](#${type.replaceAll('.', '')})`).join(', then ');
}

/** The name of a setting, or characters that Markdown would read as emphasis. */
const AS_CODE = /\b[A-Z]+(_[A-Z]+)+\b|\*{3}/g;

function meaningOf({ description, ...schema }: JsonSchema): string {
  return `${description} ${ruleOf(schema)}`.trimEnd().replace(AS_CODE, '`$&`');
}

/** The constraints beyond the type. Error codes are documented elsewhere. */
function ruleOf({ enum: values = [], minimum, maximum }: JsonSchema): string {
  if (values.length > 0 && values.length < 5)
    return `${values.map((value) => `\`${String(value)}\``).join(' or ')}.`;
  if (minimum !== 1) return '';
  const isBounded = maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER;
  return isBounded ? `1 to ${Number(maximum)}.` : 'From 1.';
}
