import type { Environment } from '../../domain/environment.ts';

/** Names of the labels by which images and containers of a stack are told from all others on the engine. */
export const LABELS = {
  stack: 'fairlead.stack',
  service: 'fairlead.service',
  environment: 'fairlead.environment',
  build: 'fairlead.build',
  release: 'fairlead.release',
  /** What a container that runs for a moment alone does for the stack. */
  task: 'fairlead.task',
  port: 'fairlead.port',
  /** The port of its network that is published; absent in workloads of earlier versions, where it is `port`. */
  publishedPort: 'fairlead.published-port',
  hostPort: 'fairlead.host-port',
  /** CPU limit of the tier in 1e-9 CPUs, which holds once the workload is ready. */
  nanoCpus: 'fairlead.nano-cpus',
} as const;

/** Tells people of a local stand-in; its value is the family. Images built on one carry it on, and anybody's may: it decides nothing. */
export const STAND_IN_LABEL = 'fairlead.stand-in';
/** Something about a stand-in that whoever builds on it should know. */
export const STAND_IN_NOTE_LABEL = 'fairlead.stand-in-note';

interface Target {
  readonly buildId: string;
  readonly service: string;
  readonly environment: Environment;
}

/** The labels of an image of a build. */
export function imageLabels(stackId: string, target: Target): Record<string, string> {
  return {
    [LABELS.stack]: stackId,
    [LABELS.service]: target.service,
    [LABELS.environment]: target.environment,
    [LABELS.build]: target.buildId,
  };
}

/** The filter of an engine list that keeps to a stack, and further labels when given. */
export function labelFilter(stackId: string, more: Readonly<Record<string, string>> = {}): { label: string[] } {
  const wanted = { [LABELS.stack]: stackId, ...more };
  return { label: Object.entries(wanted).map(([name, value]) => `${name}=${value}`) };
}
