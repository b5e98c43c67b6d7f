import type { IncomingMessage } from 'node:http';
import { PlatformError } from '../json-api/platform-error.ts';

/** Far more than any request of the interface needs. */
const MAX_BODY_BYTES = 1_048_576;

/**
 * Reads the bytes of a body, whatever the method: the rake read is a GET with a form.
 * @returns undefined if the sender disconnected first
 * @throws PlatformError 413 past 1 MiB
 */
export function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) return void chunks.push(chunk);
      // the rest is still read, and dropped, so that the sender can read the refusal
      request.off('data', take).resume();
      reject(new PlatformError(413));
    };
    request
      .on('data', take)
      .once('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)))
      .once('error', () => resolve(undefined))
      .once('close', () => resolve(undefined));
  });
}
