import type { Command } from 'commander';

import { COMMAND_TYPES } from '#contracts';

/**
 * The script that makes a shell complete subcommands, options and types; zsh runs that of bash.
 *
 * @returns undefined if the shell is neither
 */
export function completionScript(program: Command, shell: string): string | undefined {
  if (shell !== 'bash' && shell !== 'zsh') return undefined;
  const levels = levelsOf(program);
  const paths = levels.flatMap(([path]) => (path === '' ? [] : `'${path}'`));
  const cases = levels.map(([path, words]) => `    '${path}') words='${words.join(' ')}' ;;`);
  return `${shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''}_poker_bridge() {
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
