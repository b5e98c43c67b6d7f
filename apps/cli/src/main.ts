import { EXIT } from './exit.ts';
import { run } from './program.ts';

process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  // A reader may close the output early (`| head`); that is not an error.
  if (code === 'EPIPE') process.exit();
  process.stderr.write(`error: the standard output cannot be written (${code})\n`);
  process.exit(EXIT.usage);
});
// If standard error is closed, nothing can be reported; the exit code is kept.
process.stderr.on('error', () => undefined);

await run(process.argv.slice(2));
