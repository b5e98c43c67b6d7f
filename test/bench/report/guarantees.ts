/** The kinds of workers, by the beginning of their names. */
export const KINDS = ['bare', 'nest', 'rabbitmq-client', 'ours'] as const;
export type Kind = (typeof KINDS)[number];

export interface Guarantee {
  readonly text: string;
  readonly keptBy: readonly Kind[];
}

/**
 * What each worker of the bench does besides its work, as its code here stands. About lost connections the field
 * measurement in the documentation speaks.
 */
export const GUARANTEES: readonly Guarantee[] = [
  {
    text: 'the reply is persistent, and confirmed by the broker before the command is acknowledged',
    keptBy: ['bare', 'rabbitmq-client', 'ours'],
  },
  { text: 'goes on after a lost connection, and loses no reply by it', keptBy: ['rabbitmq-client', 'ours'] },
  { text: 'validates the data', keptBy: ['nest', 'ours'] },
  { text: 'says in a reply what was wrong', keptBy: ['ours'] },
  { text: 'keeps a reply whose queue is gone', keptBy: ['ours'] },
  { text: 'answers a repeated command with the reply of the first', keptBy: ['ours'] },
  { text: 'answers by a deadline, whatever the platform does', keptBy: ['ours'] },
  { text: 'retries what passes; a circuit spares a platform that is down', keptBy: ['ours'] },
  { text: 'parts with a command that kills its worker', keptBy: ['ours'] },
  { text: 'counts, and logs each outcome', keptBy: ['ours'] },
];
