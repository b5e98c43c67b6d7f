/**
 * Why Redis is away, for people, without what the server repeats of a command that it does not know: a password,
 * perhaps.
 */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/,? with args beginning with.*$/s, '');
}
