import { isCopy } from '../envelope/own-headers.ts';
import type { Command } from './command.ts';

/** A caller whose clock is further off says nothing about its commands. */
const LONGEST_MS = 24 * 60 * 60 * 1000;

/**
 * How long a command waited in its queue before a worker received it for the first time, in milliseconds of whole
 * seconds, as AMQP's timestamps are: 0 if its caller's clock is ahead.
 *
 * @returns undefined if it was received before, or its caller said nothing usable
 */
export function waitedMs({ delivery, envelope, receivedAtMs }: Command): number | undefined {
  const { fields, properties } = delivery.message;
  const sentAtSeconds: unknown = properties.timestamp;
  if (fields.redelivered || isCopy(envelope.own) || typeof sentAtSeconds !== 'number') return undefined;
  const waited = (Math.floor(receivedAtMs / 1000) - sentAtSeconds) * 1000;
  return waited <= LONGEST_MS ? Math.max(0, waited) : undefined;
}
