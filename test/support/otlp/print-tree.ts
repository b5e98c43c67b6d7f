import type { ReceivedSpan } from './read-spans.ts';

/**
 * Formats a trace as text: one span per line, children indented below their parent, ordered by start time.
 */
export function printTree(
  spans: readonly ReceivedSpan[],
  describe: (span: ReceivedSpan) => string = ({ name }) => name,
): string {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const sorted = spans.toSorted((a, b) => a.startedAtMs - b.startedAtMs);
  const linesOf = (parents: readonly ReceivedSpan[], indent: string): string[] =>
    parents.flatMap((span) => [
      indent + describe(span),
      ...linesOf(
        sorted.filter(({ parentId }) => parentId === span.spanId),
        `${indent}  `,
      ),
    ]);
  return linesOf(
    sorted.filter(({ parentId }) => !ids.has(parentId)),
    '',
  ).join('\n');
}
