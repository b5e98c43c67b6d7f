/** The lanes that a worker serves, each a queue of its own. Source: bus contract, section 1. */
export const LANES = ['interactive', 'reports'] as const;
export type Lane = (typeof LANES)[number];
