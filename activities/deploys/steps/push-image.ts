import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import type { DeploysDeps } from '../deps.ts';
import { requireFacts, type StepContext } from '../step.ts';

/** Pushes the image and records its digest. Idempotent: a registry keeps one copy of the same content. */
export async function pushImage(deps: Pick<DeploysDeps, 'images'>, context: StepContext): Promise<BuildFacts> {
  const { imageTag } = requireFacts(context.facts, ['imageTag']);
  const { digest } = await deps.images.push(imageTag, { signal: context.signal, onLine: context.onLine });
  context.onLine(`Pushed ${digest}`);
  return { imageDigest: digest };
}
