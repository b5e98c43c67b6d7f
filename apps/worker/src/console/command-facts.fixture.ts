import type { CommandFacts } from '#messaging';

/** Its canaries are not to be seen on the console. */
export const COMMAND: CommandFacts = {
  id: 'CANARY-id',
  correlationId: 'CANARY-correlation',
  type: 'game.open',
  operator: 'acme',
  lane: 'interactive',
  attempts: 1,
  durationMs: 250,
};
