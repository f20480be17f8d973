import type { StepContext } from '../../../activities/deploys/step.ts';
import type { BuildRequest } from '../../../domain/deploys/build.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';

export interface RecordedStep extends StepContext {
  readonly lines: readonly string[];
  readonly warnings: readonly string[];
  readonly diagnostics: readonly { readonly title: string; readonly lines: readonly string[] }[];
}

/** The context of one attempt of a step, which remembers what the step says. */
export function recordingStep(
  build: BuildRequest,
  facts: BuildFacts = {},
  signal: AbortSignal = new AbortController().signal,
): RecordedStep {
  const lines: string[] = [];
  const warnings: string[] = [];
  const diagnostics: { title: string; lines: readonly string[] }[] = [];
  return {
    build,
    attempt: 1,
    facts,
    signal,
    lines,
    warnings,
    diagnostics,
    onLine: (line) => void lines.push(line),
    warn: (warning) => void warnings.push(warning),
    diagnose: async (title, tail) => void diagnostics.push({ title, lines: tail }),
  };
}
