import { Argument, type Command } from 'commander';

import { COMMAND_TYPES } from '#contracts';

export function define(command: Command): void {
  command
    .addArgument(new Argument('<SHELL>', 'the shell of the script').choices(['bash', 'zsh']))
    .addHelpText('after', '\nExample:\n  $ poker-bridge completion bash >> ~/.bashrc')
    .action((shell: string) => {
      if (shell === 'zsh') process.stdout.write('autoload -U +X bashcompinit && bashcompinit\n');
      process.stdout.write(scriptOf(command.parent ?? command));
    });
}

/** The script is for bash; zsh runs it as well. */
function scriptOf(program: Command): string {
  const levels = levelsOf(program);
  const paths = levels.flatMap(([path]) => (path === '' ? [] : `'${path}'`));
  const cases = levels.map(([path, words]) => `    '${path}') words='${words.join(' ')}' ;;`);
  return `_poker_bridge() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' words='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
      ${paths.join('|')}) path="$path $word" ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _poker_bridge poker-bridge
`;
}

/** Each path of subcommands, beginning with a blank, and what may follow it. */
function levelsOf(command: Command, path = ''): [path: string, words: readonly string[]][] {
  const options = command.options.flatMap(({ long }) => long ?? []);
  const names = command.commands.map((sub) => sub.name());
  const isTyped = command.registeredArguments.some((argument) => argument.name() === 'TYPE');
  return [
    [path, [...names, ...(isTyped ? COMMAND_TYPES : []), ...options, '--help']],
    ...command.commands.flatMap((sub) => levelsOf(sub, `${path} ${sub.name()}`)),
  ];
}
