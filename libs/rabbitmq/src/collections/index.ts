export { InFlight, type Place } from './in-flight.ts';
export { setBounded } from './set-bounded.ts';
