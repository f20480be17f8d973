import { rootCause } from '@temporalio/workflow';
import type { BuildRequest, PlannedStep } from '../../domain/deploys/build.ts';
import type { StepUndo } from '../../domain/deploys/step-run.ts';
import { undoActivity } from './activity-proxies.ts';

/** What undoes the effects of steps that are not permanent yet. */
export interface UndoStack {
  /** Registers an undo; called before the effect. */
  push(step: PlannedStep, undo: StepUndo): void;
  /** Forgets the undos that were needed until this step succeeded. */
  makePermanent(step: PlannedStep): void;
  /** Undoes all, last first; one that fails stops none of the others. @returns a sentence for each that failed */
  run(): Promise<readonly string[]>;
}

export function createUndoStack(request: BuildRequest): UndoStack {
  let entries: readonly { readonly step: PlannedStep; readonly undo: StepUndo }[] = [];
  return {
    push(step, undo) {
      entries = [...entries, { step, undo }];
    },
    makePermanent({ key }) {
      entries = entries.filter(({ undo }) => undo.until !== key);
    },
    async run() {
      const failures: string[] = [];
      for (const { step, undo } of entries.toReversed()) {
        try {
          await undoActivity(step, undo)(request);
        } catch (error) {
          failures.push(`${step.title} could not be undone: ${rootCause(error) ?? 'no reason is known'}`);
        }
      }
      return failures;
    },
  };
}
