import { spawn } from 'node:child_process';
import nodeModule from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';

import { ensurePackages } from './ensure-packages.mjs';
import { FLAGS, NO_MAGLEV } from './flags.mjs';

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];

/**
 * Brings the packages and becomes a task of `scripts/tasks`; ends with a line on stderr, and the exit code
 * `failure`, if the packages cannot be had.
 */
export async function launch(task, args, failure = 1) {
  try {
    const node = await ensurePackages(fileURLToPath(new URL('../..', import.meta.url)));
    await startTask(node, fileURLToPath(new URL(`../tasks/${task}.ts`, import.meta.url)), args);
  } catch (error) {
    console.error(`poker-bridge: ${error.message}`);
    process.exitCode = failure;
  }
}

/**
 * Turns this process into the task: runs it if this is the Node.js for it, replaces itself by that if it can
 * (22.15), else starts the task as a child with the same input and output, hands signals on to it and ends as
 * it ends.
 *
 * @public for the test, which has another task run
 */
export async function startTask(node, file, args) {
  // npm's process id: the task ends when npm does, also where this process remains between the two.
  process.env.LAUNCHED_BY_PID = String(process.ppid);
  // Half of the start of a task is compiling it.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
    new URL('../../node_modules/.cache/poker-bridge-tasks', import.meta.url),
  );
  const argv = [...FLAGS, file, ...args];
  if (node === process.execPath) {
    setFlagsFromString(NO_MAGLEV);
    nodeModule.enableCompileCache(process.env.NODE_COMPILE_CACHE);
    process.argv = [node, file, ...args];
    await import(pathToFileURL(file));
  } else if (process.execve) process.execve(node, [node, ...argv], process.env);
  else runAsChild(node, argv);
}

function runAsChild(node, argv) {
  const child = spawn(node, argv, { stdio: 'inherit' });
  for (const signal of FORWARDED) {
    process.on(signal, () => {
      // Ctrl-C reaches the whole foreground group of a terminal, the child too: handing it on would make two.
      if (signal === 'SIGINT' && process.stdin.isTTY) return;
      child.kill(signal);
    });
  }
  child.once('error', (error) => {
    console.error(`poker-bridge: ${error.message}`);
    process.exitCode = 1;
  });
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    for (const name of FORWARDED) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}
