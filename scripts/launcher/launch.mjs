import { spawn } from 'node:child_process';
import nodeModule from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';

import { ensurePackages } from './ensure-packages.mjs';
import { FLAGS, NO_MAGLEV } from './flags.mjs';

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];

/**
 * Installs the packages and becomes a task. If the packages cannot be installed, it ends with a line on
 * stderr and the exit code `failure`.
 */
export async function launch(task, args, failure = 1) {
  try {
    const node = await ensurePackages(fileURLToPath(new URL('../..', import.meta.url)));
    await startTask(node, fileURLToPath(task), args);
  } catch (error) {
    console.error(`poker-bridge: ${error.message}`);
    process.exitCode = failure;
  }
}

/**
 * Turns this process into the task. It runs the task itself if this is the right Node.js, or else replaces
 * itself by that one (from 22.15 on). Otherwise it starts the task as a child with the same input and output,
 * forwards signals, and ends with the same exit code or signal.
 *
 * @public for the test, which runs another task
 */
export async function startTask(node, file, args) {
  // npm's process id: the task ends with npm, even if this process remains between the two.
  process.env.LAUNCHED_BY_PID = String(process.ppid);
  // Compiling is half of the start of a task.
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
      // Ctrl-C reaches the whole foreground group of a terminal, including the child. Forwarding it would
      // deliver it twice.
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
