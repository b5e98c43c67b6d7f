import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 200;

export async function withLock(file, work) {
  for (let told = false; !tryTake(file); await sleep(POLL_MS)) {
    const holder = readHolder(file);
    if (holder === undefined) continue;
    if (!isAlive(holder)) rmSync(file, { force: true });
    else if (!told) console.error(`poker-bridge: waiting for process ${holder}, which prepares the packages`);
    told = true;
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function tryTake(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** The holder's process id; undefined if it has just released the lock or not yet written its name. */
function readHolder(file) {
  try {
    return Number(readFileSync(file, 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}

export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
