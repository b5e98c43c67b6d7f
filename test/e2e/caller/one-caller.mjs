// A caller process for many-callers.slow.spec.ts; prints the queue that received the reply to its command.
import { createCaller } from '@poker-bridge/caller';

const { BUS_URL: url, BUS_PREFIX: prefix, CALLER_NAME: name } = process.env;
const caller = createCaller({ url, prefix, name });
process.once('SIGTERM', () => void caller.close());
const userId = `player-${process.pid}`;
const session = await caller.createSession({ userId });
console.log(session.userId === userId ? `in ${caller.replyQueue}` : `of ${session.userId}`);
