import { dirname } from 'node:path';

/** The repository's folder. */
export const root = dirname(import.meta.dirname);
