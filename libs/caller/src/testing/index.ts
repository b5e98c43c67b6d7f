export {
  type Answer,
  fail,
  type Failure,
  type FailureFacts,
  type ReceivedCommand,
  type RecordOf,
  type ReportAnswer,
  SILENCE,
} from './answers.ts';
export { type Sandbox, type SandboxOptions, startSandbox } from './sandbox.ts';
export { createTestCaller, TestCaller, type TestCallerOptions } from './test-caller.ts';
