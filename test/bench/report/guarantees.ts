/** The kinds of workers, by the beginning of their names. */
export const KINDS = ['bare', 'nest', 'rabbitmq-client', 'ours'] as const;
export type Kind = (typeof KINDS)[number];

export interface Guarantee {
  readonly text: string;
  readonly keptBy: readonly Kind[];
}

/**
 * What each worker of the bench guarantees, as its code in this folder is written. How each behaves when connections are
 * lost was measured separately; the documentation has the result.
 */
export const GUARANTEES: readonly Guarantee[] = [
  {
    text: 'persistent replies, confirmed before the acknowledgement',
    keptBy: ['bare', 'rabbitmq-client', 'ours'],
  },
  { text: 'survives a lost connection without losing a reply', keptBy: ['rabbitmq-client', 'ours'] },
  { text: 'validates the data', keptBy: ['nest', 'ours'] },
  { text: 'describes failures in a reply', keptBy: ['ours'] },
  { text: 'parks a reply if its queue is gone', keptBy: ['ours'] },
  { text: 'replays the reply to a repeated command', keptBy: ['ours'] },
  { text: 'answers by the deadline, whatever the platform does', keptBy: ['ours'] },
  { text: 'retries, and a circuit for a platform that is down', keptBy: ['ours'] },
  { text: 'isolates a command that kills its worker', keptBy: ['ours'] },
  { text: 'logs and counts each outcome', keptBy: ['ours'] },
];
