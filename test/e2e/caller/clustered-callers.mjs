// The program of clustered-callers.slow.spec.ts: a cluster of eight processes of one caller, in which every third is killed.
import cluster from 'node:cluster';

import { createCaller } from '@poker-bridge/caller';

const PROCESSES = 8;
const { BUS_URL: url, BUS_PREFIX: prefix, CALLER_NAME: name } = process.env;

if (cluster.isPrimary) {
  const answers = [];
  const members = Array.from({ length: PROCESSES }, () => cluster.fork());
  for (const member of members) member.on('message', answered);
  await Promise.all(members.map((member) => new Promise((resolve) => member.on('exit', resolve))));
  console.log(JSON.stringify(answers));

  function answered(answer) {
    if (answers.push(answer) < PROCESSES) return;
    for (const [number, member] of members.entries()) {
      if (number % 3 === 0) member.process.kill('SIGKILL');
      else member.send('close');
    }
  }
} else {
  const caller = createCaller({ url, prefix, name });
  const userId = `player-${process.pid}`;
  const answer = await caller.createSession({ userId }).then(
    (session) => ({ right: session.userId === userId, queue: caller.replyQueue }),
    (error) => ({ right: false, error: `${error.code}: ${error.message} (${caller.lastError})` }),
  );
  process.on('message', () => void caller.close().then(() => process.disconnect()));
  process.send(answer);
}
