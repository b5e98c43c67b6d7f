/**
 * What stands under a key: `state` (`under way`, `decided`, `released`), `fingerprint`, `reply` once there is one, and
 * of its owner the name and the `connection`.
 */
export type IdentityFields = [
  state: string | null,
  fingerprint: string | null,
  reply: string | null,
  connection?: string | null,
];

/** The scripts below as methods of an ioredis client. */
export interface IdentityCommands {
  /** `null`: the identity is the owner's now. Else what stands. */
  claimIdentity(
    key: string,
    fingerprint: string,
    owner: string,
    leaseMs: number,
    unreadable: string,
    connection: string,
  ): Promise<IdentityFields | null>;
  /** 1, or 0 where the identity is somebody else's by now. */
  settleIdentity(
    key: string,
    fingerprint: string,
    owner: string,
    state: 'decided' | 'released',
    reply: string,
    ttlMs: number,
  ): Promise<number>;
  /** @param rest the keys, the owner, its connection, the lease in milliseconds, and the fingerprint of each key */
  renewIdentities(numberOfKeys: number, ...rest: (string | number)[]): Promise<unknown>;
  /** 1, or 0 where the identity is not claimed over that connection any more. */
  freeIdentity(key: string, connection: string): Promise<number>;
}

/** Anything but another owner's claim or a decision that can be read is free. */
const CLAIM = `
local held = redis.call('HMGET', KEYS[1], 'state', 'fingerprint', 'reply', 'owner')
local state, reply, owner = held[1], held[3], held[4]
local isUnderWay = state == 'under way' and owner ~= ARGV[2]
local isDecided = state == 'decided' and reply and reply ~= ARGV[4]
if isUnderWay or isDecided then return { state, held[2], reply } end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'state', 'under way', 'fingerprint', ARGV[1], 'owner', ARGV[2], 'connection', ARGV[5])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return false
`;

/** A claim that Redis lost, or never heard of because it was away, is settled like one that stands. */
const SETTLE = `
local held = redis.call('HMGET', KEYS[1], 'state', 'owner')
if held[1] and held[1] ~= 'released' and held[2] ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'fingerprint', ARGV[1], 'owner', ARGV[2], 'state', ARGV[3], 'reply', ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return 1
`;

/** A claim that Redis lost is written again, all under the owner's connection of now; the lease of a decision is its own matter. */
const RENEW = `
for index, key in ipairs(KEYS) do
  local held = redis.call('HMGET', key, 'state', 'owner')
  if not held[1] then
    local fields = { 'state', 'under way', 'fingerprint', ARGV[index + 3], 'owner', ARGV[1], 'connection', ARGV[2] }
    redis.call('HSET', key, unpack(fields))
    redis.call('PEXPIRE', key, ARGV[3])
  elseif held[1] == 'under way' and held[2] == ARGV[1] then
    redis.call('HSET', key, 'connection', ARGV[2])
    redis.call('PEXPIRE', key, ARGV[3])
  end
end
`;

/** The claim of an owner that has come back stands under its new connection. */
const FREE = `
local held = redis.call('HMGET', KEYS[1], 'state', 'connection')
if held[1] ~= 'under way' or held[2] ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
`;

/** As ioredis takes them. */
export const IDENTITY_SCRIPTS = {
  claimIdentity: { lua: CLAIM, numberOfKeys: 1 },
  settleIdentity: { lua: SETTLE, numberOfKeys: 1 },
  renewIdentities: { lua: RENEW },
  freeIdentity: { lua: FREE, numberOfKeys: 1 },
};
