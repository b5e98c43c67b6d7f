import { run } from './program.ts';

// Whoever reads a part of the output and closes it (`| head`) has what he wanted.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

await run(process.argv.slice(2));
