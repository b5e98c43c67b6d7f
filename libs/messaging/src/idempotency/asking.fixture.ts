import type { Asked } from '../envelope/fingerprint.ts';

/** A command for each text, which no other text gives. */
export const asking = (text: string): Asked => ({ type: 'session.create', data: { text } });
