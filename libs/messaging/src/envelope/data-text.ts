import type { Reply } from '#contracts';

let written: Reply | undefined;
let text = '';

/** The data of a reply as JSON. What was written last is kept, since a decision and its message hold the same. */
export function dataText(reply: Reply): string {
  if (reply !== written) {
    text = JSON.stringify(reply.data);
    written = reply;
  }
  return text;
}
