import { writeFileSync } from 'node:fs';

/**
 * Ends a run with `N passed, N failed`, and `, N skipped` if some were; a suite that does not load counts as one
 * failure. The line goes to the file that TEST_SUMMARY_FILE names (the launcher prints it when Jest has had its
 * last word), else to stdout.
 */
export default class SummaryReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const counts = [`${results.numPassedTests} passed`, `${failed} failed`];
    if (skipped > 0) counts.push(`${skipped} skipped`);
    const line = `${counts.join(', ')}\n`;
    const file = process.env.TEST_SUMMARY_FILE;
    if (file) writeFileSync(file, line);
    else process.stdout.write(line);
  }
}
