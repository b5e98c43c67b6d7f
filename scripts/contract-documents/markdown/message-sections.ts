import { format } from 'prettier';

import { COMMANDS, REPLIES } from '#contracts';

import { EXAMPLES } from '../examples/examples.ts';
import { SCHEMAS } from '../schemas/schemas.ts';
import { memberRows } from './member-rows.ts';

/** The parts of docs/messages.md that are written from the definitions, by name. */
export async function messageSections(): Promise<Readonly<Record<string, string>>> {
  const commands = COMMANDS.map(({ type, summary, replies }) =>
    section(type, `${summary}\n\nAnswered with ${linked(replies)}.`, 'Required'),
  );
  const replies = [...REPLIES.values()].map(({ type, summary }) => section(type, summary, 'Always'));
  return {
    lanes: lanes(),
    commands: (await Promise.all(commands)).join('\n\n'),
    replies: (await Promise.all(replies)).join('\n\n'),
  };
}

function lanes(): string {
  const rows = COMMANDS.map(({ type, lane, summary }) => [linked([{ type }]), lane, summary]);
  return table(['Command', 'Lane', 'For'], rows);
}

/** A message under its heading: what it is, its members, and its first example. */
async function section(type: string, summary: string, presence: string): Promise<string> {
  const rows = memberRows(SCHEMAS[type] ?? {}).map(({ name, type: kind, isRequired, meaning }) => [
    `\`${name}\``,
    kind,
    isRequired ? 'yes' : 'no',
    meaning,
  ]);
  const [example] = EXAMPLES[type] ?? [];
  const text = await format(JSON.stringify(example?.payload), { parser: 'json', printWidth: 110 });
  return [
    `### \`${type}\``,
    summary,
    table(['Member', 'Type', presence, 'Meaning'], rows),
    `\`\`\`json\n${text.trim()}\n\`\`\``,
  ].join('\n\n');
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return lines.join('\n');
}

function linked(messages: readonly { readonly type: string }[]): string {
  return messages.map(({ type }) => `[\`${type}\`](#${type.replaceAll('.', '')})`).join(', then ');
}
