// The platform of the bench: answers `session.create` after a fixed time, and checks each signature.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import { answerJson, sessionDocument } from '../../support/platform-stub.ts';

const { PORT, LATENCY_MS = '20', SECRET_KEY = '' } = process.env;

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    setTimeout(() => answer(request, form, response), Number(LATENCY_MS));
  });
}).listen(Number(PORT), '127.0.0.1');

function answer({ url, headers }: IncomingMessage, form: URLSearchParams, response: ServerResponse): void {
  const [, user = ''] = /\/users\/([^/]+)\/session\?/.exec(url ?? '') ?? [];
  const userId = decodeURIComponent(user);
  if (userId === form.get('userId') && headers['sign'] === signatureOf(form))
    answerJson(response, 200, sessionDocument(userId));
  else answerJson(response, 400, { errors: [{ status: 400, detail: 'Not Valid Request Signature' }] });
}

/** The SHA-256 of the values in the order of their names, and of the secret key. */
function signatureOf(form: URLSearchParams): string {
  form.sort();
  return createHash('sha256')
    .update([...form.values()].join('') + SECRET_KEY)
    .digest('hex');
}
