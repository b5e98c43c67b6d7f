import type { CommandFacts } from '#messaging';

export const COMMAND: CommandFacts = {
  id: 'm-1',
  correlationId: 'CANARY-correlation',
  type: 'game.open',
  operator: 'acme',
  lane: 'interactive',
  attempts: 1,
  durationMs: 250,
};
