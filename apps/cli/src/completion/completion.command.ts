import type { Command } from 'commander';

import { usageError } from '../exit.ts';

const EXAMPLES = `
Examples:
  $ poker-bridge completion bash >> ~/.bashrc
  $ poker-bridge completion zsh >> ~/.zshrc`;

/** What makes a shell complete this program. */
export function addCompletion(program: Command): void {
  program
    .command('completion')
    .summary('prints what makes a shell complete this')
    .description('Prints what makes a shell complete subcommands, options and types of commands.')
    .argument('<SHELL>', 'bash or zsh')
    .addHelpText('after', EXAMPLES)
    .action(async (shell: string) => {
      const { completionScript, isShell } = await import('./completion-script.ts');
      if (!isShell(shell)) throw usageError('SHELL is bash or zsh');
      process.stdout.write(completionScript(program, shell));
    });
}
