export type { Clock, Random } from './clock.ts';
export { Deadline, DeadlineExceeded } from './deadline.ts';
