import type { ReceivedSpan } from './read-spans.ts';

/** A trace as text: a span a line, children below and to the right of their parent, in the order of their beginning. */
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
