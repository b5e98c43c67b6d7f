import type { Version } from '../stage/workplace.ts';
import type { Contestant } from './contestant.ts';
import { OurWorkers } from './our-workers.ts';

/** The built worker, on its own topology. */
export function ours(version: Version = 'this'): Contestant {
  return {
    name: version === 'this' ? 'ours' : 'other',
    label: version === 'this' ? 'poker-bridge' : 'poker-bridge, other checkout',
    queueType: 'quorum',
    start: (surroundings, nodeFlags = []) => OurWorkers.start(surroundings, { version, nodeFlags }),
  };
}
