import { EXIT } from './exit.ts';
import { run } from './program.ts';

process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  // A reader that closes the output early (`| head`) has what it wanted: that is not an error.
  if (code === 'EPIPE') process.exit();
  process.stderr.write(`error: the standard output cannot be written (${code})\n`);
  process.exit(EXIT.usage);
});
// If standard error is closed, nobody can be told, and the exit code stays.
process.stderr.on('error', () => undefined);

await run(process.argv.slice(2));
