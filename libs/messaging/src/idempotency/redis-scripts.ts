/** Read of an identity: `state` is `in flight`, `settled` or `released`; `connection` is that of its owner. */
export const FIELDS = ['state', 'fingerprint', 'connection', 'outcome'] as const;

export type Fields = [
  state: string | null,
  fingerprint: string | null,
  connection: string | null,
  outcome: string | null,
];

/** The scripts below as methods of an ioredis client. */
export interface IdentityScripts {
  /** @returns `null` if the identity is the owner's now, else what is there */
  claimIdentity(
    key: string,
    fingerprint: string,
    owner: string,
    connection: string,
    leaseMs: number,
    over: string,
  ): Promise<Fields | null>;
  settleIdentity(
    key: string,
    fingerprint: string,
    owner: string,
    state: 'settled' | 'released',
    outcome: string,
    ttlMs: number,
  ): Promise<unknown>;
}

/**
 * Claims an identity unless another owner has it in flight or it is settled; `over` is a connection whose claim, or an
 * outcome, that does not count. Called again by the owner it renews the lease, or writes a claim that Redis lost.
 */
const CLAIM = `
local held = redis.call('HMGET', KEYS[1], 'state', 'fingerprint', 'connection', 'outcome', 'owner')
local state, connection, outcome, owner = held[1], held[3], held[4], held[5]
if state == 'in flight' and owner ~= ARGV[2] and connection ~= ARGV[5] then return held end
if state == 'settled' and outcome ~= ARGV[5] then return held end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'state', 'in flight', 'fingerprint', ARGV[1], 'owner', ARGV[2], 'connection', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return false
`;

/** Ends the owner's claim, also one that Redis lost or never heard of; leaves alone what another owner took over. */
const SETTLE = `
local held = redis.call('HMGET', KEYS[1], 'state', 'owner')
if held[1] and held[1] ~= 'released' and held[2] ~= ARGV[2] then return end
redis.call('HSET', KEYS[1], 'fingerprint', ARGV[1], 'owner', ARGV[2], 'state', ARGV[3], 'outcome', ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[5])
`;

/** As ioredis takes them. */
export const IDENTITY_SCRIPTS = {
  claimIdentity: { lua: CLAIM, numberOfKeys: 1 },
  settleIdentity: { lua: SETTLE, numberOfKeys: 1 },
};
