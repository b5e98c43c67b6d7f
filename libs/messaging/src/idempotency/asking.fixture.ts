import type { CommandContent } from '../envelope/fingerprint.ts';

/** Returns a command that differs for each text. */
export const asking = (text: string): CommandContent => ({ type: 'session.create', data: { text } });
