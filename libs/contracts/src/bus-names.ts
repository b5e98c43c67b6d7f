import { LANES, type Lane } from './message-types.ts';

/** The name of every exchange and queue of one installation. Source: bus contract, section 1. */
export interface BusNames {
  /** What each name starts with; a `reply_to` must not. */
  readonly reserved: string;
  readonly commands: string;
  readonly unknownCommands: string;
  readonly events: string;
  readonly lanes: Readonly<Record<Lane, string>>;
  readonly quarantine: string;
  readonly deadLetters: string;
  readonly undelivered: string;
  /** The reports' retry queue whose messages wait `delayMs`. */
  retry(delayMs: number): string;
}

/**
 * The names of exchanges and queues under a prefix.
 *
 * @param prefix default `poker` (setting `AMQP_PREFIX`)
 */
export function busNames(prefix = 'poker'): BusNames {
  const lanes = Object.fromEntries(LANES.map((lane) => [lane, `${prefix}.${lane}`])) as Record<Lane, string>;
  return {
    reserved: `${prefix}.`,
    commands: `${prefix}.commands`,
    unknownCommands: `${prefix}.commands.unknown`,
    events: `${prefix}.events`,
    lanes,
    quarantine: `${prefix}.quarantine`,
    deadLetters: `${prefix}.dead-letters`,
    undelivered: `${prefix}.replies.undelivered`,
    retry: (delayMs) => `${lanes.reports}.retry.${delayMs}`,
  };
}
