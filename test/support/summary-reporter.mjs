import { writeFileSync } from 'node:fs';

/**
 * Writes the outcome of each file to the JSON file that TEST_SUMMARY_FILE names: the launcher prints the counts when
 * Jest has had its last word. A suite that does not load counts as one failure.
 */
export default class SummaryReporter {
  onRunComplete(_contexts, results) {
    const files = results.testResults.map((file) => ({
      path: file.testFilePath,
      passed: file.numPassingTests,
      failed: file.numFailingTests + (file.testExecError && file.numFailingTests === 0 ? 1 : 0),
      skipped: file.numPendingTests + file.numTodoTests,
    }));
    if (process.env.TEST_SUMMARY_FILE) writeFileSync(process.env.TEST_SUMMARY_FILE, JSON.stringify(files));
  }
}
