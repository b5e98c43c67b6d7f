export { DirectKeys } from './direct-keys.ts';
export { KeyProbe } from './key-probe.ts';
