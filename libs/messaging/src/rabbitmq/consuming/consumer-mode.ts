import type { ConsumerChannel } from './consumer-channel.ts';

/** What a consumer is doing; each mode holds what is valid in it alone. */
export type ConsumerMode =
  /** It has no channel. */
  | { readonly kind: 'waiting' }
  /** The broker was asked for a consumer and has not answered. */
  | { readonly kind: 'starting'; readonly channel: ConsumerChannel }
  | { readonly kind: 'consuming'; readonly channel: ConsumerChannel }
  /** After a pause, one message at a time, until one was taken and more can be served; a new process takes some more. */
  | {
      readonly kind: 'probing';
      readonly channel: ConsumerChannel;
      readonly prefetch: number;
      readonly deliveriesBefore: number;
    }
  /** On purpose, for a while. A channel that is lost meanwhile is replaced, and consumed on when the timer ends. */
  | {
      readonly kind: 'paused';
      readonly channel: ConsumerChannel | undefined;
      readonly timer: NodeJS.Timeout;
    }
  /** Too many deliveries of lost channels are in flight; it goes on when enough of them are settled. */
  | { readonly kind: 'full'; readonly channel: ConsumerChannel | undefined }
  /** `onEmpty` is called when nothing is in flight any more. */
  | { readonly kind: 'draining'; readonly onEmpty: () => void }
  | { readonly kind: 'stopped' };

/** A mode in the words of health. */
export type ConsumerState = 'waiting for the broker' | 'consuming' | 'paused' | 'draining' | 'stopped';

const STATES: Readonly<Record<ConsumerMode['kind'], ConsumerState>> = {
  waiting: 'waiting for the broker',
  starting: 'waiting for the broker',
  consuming: 'consuming',
  probing: 'consuming',
  paused: 'paused',
  full: 'paused',
  draining: 'draining',
  stopped: 'stopped',
};

export function stateOf({ kind }: ConsumerMode): ConsumerState {
  return STATES[kind];
}

/** The channel that a mode consumes on, or will. */
export function channelOf(mode: ConsumerMode): ConsumerChannel | undefined {
  return 'channel' in mode ? mode.channel : undefined;
}
