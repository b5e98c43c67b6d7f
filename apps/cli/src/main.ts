import { run } from './program.ts';

// A reader that closes the output early (`| head`) has what it wanted: that is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

await run(process.argv.slice(2));
