import { messageSections } from './message-sections.ts';

/** The document with tables of messages, relative to the repository. */
export const MESSAGES_DOCUMENT = 'docs/messages.md';

/**
 * The document with its generated parts written again, each between `<!-- contract: name -->` and `<!-- end of contract -->`.
 *
 * @throws Error for a part that has no place in the document
 */
export async function messagesDocument(text: string): Promise<string> {
  let document = text;
  for (const [name, part] of Object.entries(await messageSections())) {
    const place = new RegExp(`(<!-- contract: ${name} -->\n).*?(\n<!-- end of contract -->)`, 's');
    if (!place.test(document)) throw new Error(`${MESSAGES_DOCUMENT} has no place for ${name}`);
    document = document.replace(place, (_all, begin: string, end: string) => `${begin}\n${part}\n${end}`);
  }
  return document;
}
