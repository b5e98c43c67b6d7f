import type { CommandContent } from '../envelope/fingerprint.ts';

/** A command for each text, which no other text gives. */
export const asking = (text: string): CommandContent => ({ type: 'session.create', data: { text } });
