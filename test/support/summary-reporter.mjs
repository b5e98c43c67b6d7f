import { writeFileSync } from 'node:fs';

const ENDING_TIMEOUT_MS = 15_000;

/**
 * Writes the outcome of each file to the JSON file in TEST_SUMMARY_FILE: the launcher prints the counts after
 * the output of Jest. A suite that cannot be loaded counts as one failure.
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
    // Jest never exits if a suite has left a handle open. This timer itself does not keep the process alive.
    setTimeout(() => {
      process.stderr.write('poker-bridge: a suite has left something open, and Jest was ended\n');
      process.exit();
    }, ENDING_TIMEOUT_MS).unref();
  }
}
