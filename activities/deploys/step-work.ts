import type { StepDefinition } from '../../domain/deploys/step-definition.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { StepWork } from './step.ts';

interface Acting {
  readonly run: Pick<NonNullable<StepDefinition['run']>, 'activity'>;
}

/**
 * The work of a step: the function with the name of its activity, in the file of `steps/` with the same name in kebab case. So a
 * new step changes no list here.
 * @throws FairleadError INTERNAL when there is no such function: when a worker starts, not when a build comes to the step
 */
export async function loadStepWork({ run: { activity } }: Acting): Promise<StepWork> {
  const file = `steps/${fileName(activity)}.ts`;
  const exported: Readonly<Record<string, unknown>> = await import(new URL(file, import.meta.url).href).catch(
    (cause) => {
      throw new FairleadError('INTERNAL', `The step ${activity} cannot be loaded from activities/deploys/${file}`, {
        cause,
      });
    },
  );
  const work = exported[activity];
  if (isStepWork(work)) return work;
  throw new FairleadError('INTERNAL', `activities/deploys/${file} must export the function ${activity}`);
}

/** Its parameters are what every step is called with; those of a file cannot be asked at run time. */
const isStepWork = (value: unknown): value is StepWork => typeof value === 'function';

/** `provisionOAuthClient` is in `provision-oauth-client.ts`. */
const fileName = (activity: string): string => activity.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
