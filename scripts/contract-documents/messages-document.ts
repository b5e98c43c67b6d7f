import { LANE_OF_COMMAND } from '#contracts';
import { COMMANDS, REPLIES } from '#contracts/validation';

import { EXAMPLES } from './message-examples.ts';
import type { JsonSchema } from './schemas/json-schema.ts';
import { DATA_SCHEMAS, membersOf, schemaName } from './schemas/schemas.ts';

/** The document with tables of messages, relative to the repository. */
export const MESSAGES_DOCUMENT = 'docs/messages.md';

/** The width of a line; longer ones in Python would not be Black's. */
export const MOST_COLUMNS = 110;

/**
 * The document with its generated parts written again, each between `<!-- contract: name -->` and `<!-- end
 * of contract -->`.
 *
 * @throws Error for a part that has no place in the document
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

/** A message under its heading: what it is, its members, and its first example. */
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

/** Words, with as many on a line as fit; every line but the first is indented. */
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

/** The name of a setting, and what Markdown would read as emphasis. */
const AS_CODE = /\b[A-Z]+(_[A-Z]+)+\b|\*{3}/g;

function meaningOf({ description, ...schema }: JsonSchema): string {
  return `${description} ${ruleOf(schema)}`.trimEnd().replace(AS_CODE, '`$&`');
}

/** What the type does not say yet. Of error codes there is a document. */
function ruleOf({ enum: values = [], minimum, maximum }: JsonSchema): string {
  if (values.length > 0 && values.length < 5)
    return `${values.map((value) => `\`${String(value)}\``).join(' or ')}.`;
  if (minimum !== 1) return '';
  const isBounded = maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER;
  return isBounded ? `1 to ${Number(maximum)}.` : 'From 1.';
}
