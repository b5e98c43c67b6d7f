/** A line that a worker logged. */
export interface LogLine {
  /** The JSON alone. */
  readonly text: string;
  readonly members: Readonly<Record<string, unknown>>;
}

/**
 * Reads a line of a log. What gathers logs writes its own before the JSON: a container's name, a time, colours.
 *
 * @returns undefined if it is no line of a worker
 */
export function readLogLine(text: string): LogLine | undefined {
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at + 1)) {
    const json = text.slice(at).trimEnd();
    const members = parsed(json);
    if (members && typeof members['msg'] === 'string') return { text: json, members };
  }
  return undefined;
}

function parsed(json: string): Record<string, unknown> | undefined {
  if (!json.endsWith('}')) return undefined;
  try {
    return JSON.parse(json) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
