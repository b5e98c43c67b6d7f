import type { IncomingMessage } from 'node:http';

/** The body of a request as text; `undefined` if its sender was killed, cut off or gave up before all of it was read. */
export async function wholeBody(message: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of message) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString();
}
